/** The number of plans that are kept. A program transforms few lengths, and a plan takes some times the memory of its input. */
const KEPT = 8;

/** The longest transform whose plan is kept. */
const LONGEST = 2 ** 16;

/** Makes plans of transforms by their length, and keeps the latest. */
export function plansOf<Plan>(make: (size: number) => Plan): (size: number) => Plan {
  const plans = new Map<number, Plan>();
  return (size) => {
    const plan = plans.get(size) ?? make(size);
    if (size > LONGEST) return plan;
    // Last in order is the latest.
    plans.delete(size);
    plans.set(size, plan);
    if (plans.size > KEPT) plans.delete(plans.keys().next().value!);
    return plan;
  };
}
