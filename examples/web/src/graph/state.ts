import { definitionsOf, type Graph, graphsOf, type Node, type Program } from "@pt2/graph";
import { drawnInputs, type GraphBox, pictureOf } from "./boxes.ts";
import { type Layout, layout } from "./layout.ts";
import { type Group, groupsAround, groupsOf, type Item, moduleTree, openWithin } from "./module-tree.ts";
import { graphsIn } from "./nested.ts";

/** The number of boxes shown initially: a graph of this size is shown whole. */
const BOXES = 80;

/** What of a program is drawn, and where. */
export class GraphState {
  readonly #program: Program;
  readonly #widthOf: (box: GraphBox) => number;
  #tree: readonly Item[] = [];
  #open = new Set<string>();
  #withSizes = false;
  graph: Graph;
  drawn: Layout = { width: 0, height: 0, boxes: new Map(), routes: [] };

  /** `widthOf` measures a box. */
  constructor(program: Program, widthOf: (box: GraphBox) => number) {
    this.#program = program;
    this.#widthOf = widthOf;
    this.graph = program.graph;
    this.use(this.graph);
  }

  /** Whether sizes and checks are drawn: without them the flow of tensors is easier to see. */
  get withSizes(): boolean {
    return this.#withSizes;
  }

  set withSizes(shown: boolean) {
    this.#withSizes = shown;
    this.use(this.graph);
  }

  /** Draws another graph of the program. */
  use(graph: Graph): void {
    this.graph = graph;
    this.#tree = moduleTree(graph.nodes.filter((node) => this.#withSizes || !isAboutSizes(graph, node)));
    this.#open = new Set(openWithin(this.#tree, BOXES));
    this.#draw();
  }

  /** Shows what a group holds. Returns its first box. */
  open(id: string): string {
    const [first] = groupsOf(this.#tree).find((group) => group.id === id)!.items;
    this.#open.add(id);
    this.#draw();
    return first!.kind === "group" ? first!.id : `node ${first!.node.name}`;
  }

  close(group: Group): void {
    for (const each of [group, ...groupsOf(group.items)]) this.#open.delete(each.id);
    this.#draw();
  }

  openAll(): void {
    this.#open = new Set(groupsOf(this.#tree).map(({ id }) => id));
    this.#draw();
  }

  closeAll(): void {
    this.#open = new Set();
    this.#draw();
  }

  /** The innermost open group around a box. */
  groupAround({ nodes, group }: GraphBox): Group | undefined {
    const [first] = nodes;
    const around = first === undefined ? [] : groupsAround(this.#tree, first.name);
    return around.findLast(({ id }) => id !== group?.id && this.#open.has(id));
  }

  /** Draws a node, whatever hid it. Returns its box. */
  reveal(name: string): string {
    const has = ({ nodes }: Graph): boolean => nodes.some((node) => node.name === name);
    const graph = has(this.graph) ? this.graph : graphsIn(this.#program).find(([, each]) => has(each))?.[1];
    const node = graph?.nodes.find((each) => each.name === name);
    if (graph === undefined || node === undefined) return "";
    if (isAboutSizes(graph, node)) this.#withSizes = true;
    if (graph !== this.graph || isAboutSizes(graph, node)) this.use(graph);
    for (const { id } of groupsAround(this.#tree, name)) this.#open.add(id);
    this.#draw();
    return `node ${name}`;
  }

  #draw(): void {
    const inputs = drawnInputs(this.#program, this.graph);
    this.drawn = layout(pictureOf(this.graph, this.#tree, this.#open, inputs), this.#widthOf);
  }
}

/** Whether a node gives no tensor: arithmetic with sizes, or a check of something. */
export function isAboutSizes(graph: Graph, node: Node): boolean {
  const types = definitionsOf(node).map((name) => graph.values.get(name)?.kind);
  return graphsOf(node).length === 0 && types.every((kind) => kind !== "tensor" && kind !== "object");
}
