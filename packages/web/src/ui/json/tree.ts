import { foldFields, isFound, parseSearch } from '@leitstand/contract/search'

/** Maximum nodes searched; the rest of a larger document is skipped. */
const nodesMax = 20_000

function* walk(
  value: unknown,
): Generator<{ path: string; key: string; value: unknown; parents: readonly string[]; depth: number }> {
  const stack: { path: string; key: string; value: unknown; parents: readonly string[]; depth: number }[] = [
    { path: '$', key: '', value, parents: [], depth: 0 },
  ]
  for (let seen = 0; seen < nodesMax; seen++) {
    const node = stack.pop()
    if (!node) return
    yield node
    if (typeof node.value !== 'object' || node.value === null) continue
    const parents = [...node.parents, node.path]
    for (const [key, child] of Object.entries(node.value).reverse()) {
      stack.push({ path: `${node.path}.${key}`, key, value: child, parents, depth: node.depth + 1 })
    }
  }
}

/** Paths whose key and plain value a search finds, and the branches to expand to show them. */
export function matchingPaths(value: unknown, text: string): { exact: Set<string>; open: Set<string> } {
  const search = parseSearch(text)
  const exact = new Set<string>()
  const open = new Set<string>()
  for (const node of walk(value)) {
    const plain = typeof node.value !== 'object' || node.value === null ? String(node.value) : ''
    if (!isFound(search, foldFields(node.key, plain))) continue
    exact.add(node.path)
    for (const parent of node.parents) open.add(parent)
  }
  return { exact, open }
}

/** Paths of all objects and lists expanded by default, i.e. above `levels`. */
export function foldersOf(value: unknown, levels: number): string[] {
  const result: string[] = []
  for (const node of walk(value)) {
    if (typeof node.value === 'object' && node.value !== null && node.depth > 0 && node.depth < levels)
      result.push(node.path)
  }
  return result
}
