/** The channel of the features that each result was pooled from: `mapping` [regions, channels] counts them for each region. */
export function channelMapping(mapping: usize, regions: i32, channels: i32): void {
  for (let region = 0; region < regions; region++) {
    for (let channel = 0; channel < channels; channel++, mapping += 4) store<i32>(mapping, channel);
  }
}
