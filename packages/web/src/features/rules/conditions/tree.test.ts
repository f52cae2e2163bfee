import type { Branch, Condition } from '@leitstand/contract/rules'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparisonOps, groupOps, isConditionOp } from './index.ts'
import {
  aliasesOf,
  appendAt,
  asBranch,
  childrenOf,
  convert,
  countNodes,
  depthOf,
  faultsOf,
  gapsFor,
  matches,
  moveTo,
  nodeAt,
  pathOf,
  reasons,
  removeAt,
  renameAlias,
  replaceAt,
  sentence,
} from './tree.ts'
import type { Words } from './types.ts'

const hot: Condition = { op: 'gt', left: { metric: 'temp' }, right: { value: 30 } }
const open: Condition = { op: 'eq', left: { metric: 'window' }, right: { value: true } }
const wet: Condition = { op: 'gte', left: { metric: 'hum' }, right: { metric: 'limit' } }
const margin: Condition = {
  op: 'hysteresis',
  input: { metric: 'temp' },
  direction: 'above',
  limit: 30,
  release: 30,
}
const tree: Condition = {
  op: 'and',
  conditions: [hot, { op: 'or', conditions: [open, { op: 'not', condition: wet }] }],
}

const words: Words = {
  compare: (op, left, right) => `${left} ${op} ${right}`,
  compareWas: (op, left, right) => `${left} ${op} ${right}`,
  compareNot: (op, left, right) => `${left} !${op} ${right}`,
  text: (key, values = {}) =>
    ({
      'rules.and': 'and',
      'rules.or': 'or',
      'rules.notText': `not ${values.inner}`,
      'rules.whenText': `if ${values.condition} then ${values.implies}`,
    })[key] ?? key,
  operand: (operand) => ('metric' in operand ? operand.metric : String(operand.value)),
  time: (iso) => iso.slice(11, 16),
  valued: (operand, value) => (operand && 'metric' in operand ? `${operand.metric}=${value}` : String(value)),
}

const condition: fc.Arbitrary<Condition> = fc.letrec<{ node: Condition }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(hot, open, wet),
    fc
      .tuple(
        fc.constantFrom('and' as const, 'or' as const),
        fc.array(tie('node'), { minLength: 1, maxLength: 4 }),
      )
      .map(([op, conditions]): Condition => ({ op, conditions })),
    tie('node').map((inner): Condition => ({ op: 'not', condition: inner })),
    fc.tuple(tie('node'), tie('node')).map(([a, b]): Condition => ({ op: 'when', condition: a, implies: b })),
  ),
})).node

function paths(node: Condition, at: number[] = []): number[][] {
  return [at, ...childrenOf(node).flatMap((child, index) => paths(child, [...at, index]))]
}

describe('editing', () => {
  it('replaces exactly the node at a path', () => {
    fc.assert(
      fc.property(condition, fc.nat(), (node, pick) => {
        const all = paths(node)
        const path = all[pick % all.length] ?? []
        expect(nodeAt(replaceAt(node, path, hot), path)).toEqual(hot)
        expect(replaceAt(node, path, nodeAt(node, path) ?? hot)).toEqual(node)
      }),
    )
  })

  it('removes a node and never leaves an empty group', () => {
    fc.assert(
      fc.property(condition, fc.nat(), (node, pick) => {
        const all = paths(node)
        const rest = removeAt(node, all[pick % all.length] ?? [])
        if (rest === null) return
        expect(countNodes(rest)).toBeLessThan(countNodes(node))
        for (const path of paths(rest)) {
          const each = nodeAt(rest, path)
          if (each && 'conditions' in each) expect(each.conditions.length).toBeGreaterThan(0)
        }
      }),
    )
  })

  it('appends to groups only', () => {
    expect(appendAt(tree, [1], wet)).toMatchObject({ conditions: [hot, { conditions: [open, {}, wet] }] })
    expect(appendAt(tree, [0], wet)).toBe(tree)
  })

  it.each([
    [hot, 'or', { op: 'or', conditions: [hot] }],
    [{ op: 'and', conditions: [hot, open] }, 'or', { op: 'or', conditions: [hot, open] }],
    [
      { op: 'and', conditions: [hot, open] },
      'not',
      { op: 'not', condition: { op: 'and', conditions: [hot, open] } },
    ],
    [hot, 'when', { op: 'when', condition: hot, implies: wet }],
    [hot, 'for', { op: 'for', minutes: 10, condition: hot }],
    [
      { op: 'or', conditions: [hot] },
      'times',
      { op: 'times', count: 3, of: 5, condition: { op: 'or', conditions: [hot] } },
    ],
    [{ op: 'for', minutes: 3, condition: hot }, 'not', { op: 'not', condition: hot }],
    [hot, 'hysteresis', margin],
    [{ ...hot, op: 'lte' }, 'hysteresis', { ...margin, direction: 'below' }],
    [wet, 'hysteresis', { ...margin, input: { metric: 'hum' }, limit: 0, release: 0 }],
    [margin, 'gt', hot],
    [{ op: 'and', conditions: [hot, open] }, 'when', { op: 'when', condition: hot, implies: open }],
  ] as const)('converts %#', (from, op, expected) => {
    expect(convert(from as Condition, op, wet as Extract<Condition, { left: unknown }>)).toEqual(expected)
  })

  it('renames a metric everywhere', () => {
    const renamed = renameAlias(tree, 'temp', 'room')
    expect(aliasesOf(renamed)).toEqual(['room', 'window', 'hum', 'limit'])
    expect(renameAlias(renamed, 'room', 'temp')).toEqual(tree)
  })

  it('knows what is wrong with a condition itself, each once', () => {
    const often: Condition = { op: 'times', count: 6, of: 5, condition: hot }
    const beyond = { ...margin, release: 31 } as Condition
    expect(faultsOf(tree)).toEqual([])
    expect(faultsOf(margin)).toEqual([])
    expect(faultsOf({ ...margin, direction: 'below', release: 29 } as Condition)).toEqual(['releaseBeyond'])
    expect(faultsOf({ op: 'or', conditions: [often, beyond, beyond] })).toEqual([
      'timesTooMany',
      'releaseBeyond',
    ])
    const lasting: Condition = { op: 'for', minutes: 1, condition: hot }
    expect(faultsOf({ op: 'and', conditions: Array(20).fill(lasting) })).toEqual([])
    expect(faultsOf({ op: 'and', conditions: Array(21).fill(lasting) })).toEqual(['tooManyLookBack'])
  })

  it('renames what hysteresis looks at', () => {
    expect(aliasesOf({ op: 'for', minutes: 1, condition: margin })).toEqual(['temp'])
    expect(renameAlias(margin, 'temp', 'room')).toEqual({ ...margin, input: { metric: 'room' } })
  })

  it('measures', () => {
    expect(countNodes(tree)).toBe(6)
    expect(depthOf(tree)).toBe(4)
  })
})

describe('in words', () => {
  it('sets brackets where they are needed', () => {
    expect(sentence(tree, words)).toBe('temp gt 30 and (window eq true or not hum gte limit)')
    expect(sentence({ op: 'or', conditions: [hot] }, words)).toBe('temp gt 30')
    expect(sentence({ op: 'when', condition: open, implies: hot }, words)).toBe(
      'if window eq true then temp gt 30',
    )
  })

  const branch: Branch = {
    op: 'and',
    met: false,
    children: [
      { op: 'gt', met: true, left: 31, right: 30 },
      {
        op: 'or',
        met: false,
        children: [
          { op: 'eq', met: false, left: false, right: true },
          { op: 'not', met: false, children: [{ op: 'gte', met: true, left: 80, right: 70 }] },
        ],
      },
    ],
  }

  it('names what decided, with the values of that moment', () => {
    expect(reasons(branch, tree, words)).toEqual(['window=false !eq true', 'hum=80 gte limit=70'])
  })

  it('still tells the values when the rule was changed since', () => {
    expect(matches(branch, hot)).toBe(false)
    expect(reasons(branch, hot, words)).toEqual(['false !eq true', '80 gte 70'])
  })

  it('names what was met', () => {
    const met: Branch = {
      op: 'or',
      met: true,
      children: [
        { op: 'gt', met: true, left: 31, right: 30 },
        { op: 'eq', met: false, left: 1, right: 2 },
      ],
    }
    expect(reasons(met, null, words)).toEqual(['31 gt 30'])
  })
})

it('reads branches from JSON', () => {
  expect(asBranch(null)).toBeNull()
  expect(asBranch({ op: 'gt' })).toBeNull()
  expect(asBranch({ op: 'gt', met: true })).toEqual({ op: 'gt', met: true })
})

describe('every kind of condition', () => {
  const fresh = wet as Extract<Condition, { left: unknown }>

  it('can become any other kind without losing its comparisons', () => {
    const comparisonsOf = (node: Condition): Condition[] =>
      'left' in node ? [node] : childrenOf(node).flatMap(comparisonsOf)
    fc.assert(
      fc.property(condition, fc.constantFrom('and' as const, 'or' as const), (node, op) => {
        const next = convert(node, op, fresh)
        expect(next.op).toBe(op)
        expect(comparisonsOf(next)).toEqual(comparisonsOf(node))
      }),
    )
  })

  it.each(comparisonOps)('a comparison becomes %s and keeps its sides', (op) => {
    expect(convert(hot, op, fresh)).toEqual({ ...hot, op })
  })

  it.each(comparisonOps)('a group becomes a new comparison %s', (op) => {
    expect(convert(tree, op, fresh)).toEqual({ ...fresh, op })
  })

  it.each(groupOps)('a comparison is kept inside %s', (op) => {
    expect(JSON.stringify(convert(hot, op, fresh))).toContain(JSON.stringify(hot))
  })

  it.each([
    ['and', true],
    ['gt', true],
    ['xor', false],
    ['constructor', false],
    ['', false],
  ])('%s is known: %s', (op, known) => {
    expect(isConditionOp(op)).toBe(known)
  })
})

describe('paths', () => {
  it('that lead nowhere change nothing', () => {
    expect(nodeAt(tree, [7])).toBeUndefined()
    expect(nodeAt(hot, [0])).toBeUndefined()
    expect(replaceAt(tree, [7], hot)).toEqual(tree)
    expect(removeAt(tree, [7])).toEqual(tree)
    expect(appendAt(tree, [7, 1], hot)).toBe(tree)
  })

  it('the root removed leaves nothing', () => {
    expect(removeAt(tree, [])).toBeNull()
    expect(removeAt({ op: 'not', condition: hot }, [0])).toBeNull()
    expect(removeAt({ op: 'and', conditions: [hot] }, [0])).toBeNull()
  })

  it('of a when, either side removed leaves the other', () => {
    const when: Condition = { op: 'when', condition: open, implies: hot }
    expect(removeAt(when, [0])).toEqual(hot)
    expect(removeAt(when, [1])).toEqual(open)
  })

  it('adding to a group makes it one longer', () => {
    fc.assert(
      fc.property(condition, (node) => {
        const next = appendAt(node, [], wet)
        const grows = node.op === 'and' || node.op === 'or'
        expect(childrenOf(next).length).toBe(childrenOf(node).length + (grows ? 1 : 0))
      }),
    )
  })
})

describe('names of metrics', () => {
  it('can be exchanged and back', () => {
    fc.assert(
      fc.property(condition, (node) => {
        const renamed = renameAlias(node, 'temp', 'other')
        expect(aliasesOf(renamed)).not.toContain('temp')
        expect(renameAlias(renamed, 'other', 'temp')).toEqual(node)
        expect(countNodes(renamed)).toBe(countNodes(node))
      }),
    )
  })

  it('a constant of the same text is not renamed', () => {
    const constant: Condition = { op: 'eq', left: { metric: 'a' }, right: { value: 'a' } }
    expect(renameAlias(constant, 'a', 'b')).toEqual({
      op: 'eq',
      left: { metric: 'b' },
      right: { value: 'a' },
    })
  })
})

describe('what was evaluated', () => {
  /** A branch with the same structure as a condition, met or not at random. */
  const branchOf = (node: Condition, isMet: () => boolean): Branch => {
    const met = isMet()
    if ('left' in node) return { op: node.op, met, left: 1, right: 2 } as Branch
    return { op: node.op, met, children: childrenOf(node).map((child) => branchOf(child, isMet)) } as Branch
  }
  const evaluated = fc.tuple(condition, fc.infiniteStream(fc.boolean())).map(([node, stream]) => {
    const isMet = () => stream.next().value as boolean
    return { node, branch: branchOf(node, isMet) }
  })

  it('matches its condition and no other operator', () => {
    fc.assert(
      fc.property(evaluated, ({ node, branch }) => {
        expect(matches(branch, node)).toBe(true)
        expect(matches({ ...branch, op: 'lt' } as Branch, node)).toBe(false)
      }),
    )
  })

  it('is explained by some of its comparisons, and by no others', () => {
    const comparisons = (node: Branch): number => {
      const { children } = node
      return children === undefined ? 1 : children.reduce((sum, child) => sum + comparisons(child), 0)
    }
    fc.assert(
      fc.property(evaluated, ({ node, branch }) => {
        const found = reasons(branch, node, words)
        expect(found.length).toBeLessThanOrEqual(comparisons(branch))
        expect(found.length).toBe(reasons(branch, null, words).length)
      }),
    )
  })

  it.each([undefined, 7, 'gt', [], { met: true }, { op: 1, met: true }, { op: 'gt', met: 'yes' }])(
    '%j is no branch',
    (value) => expect(asBranch(value)).toBeNull(),
  )

  it('of a newer version is explained by all its parts', () => {
    const branch = {
      op: 'xor',
      met: true,
      children: [
        { op: 'gt', met: true, left: 1, right: 0 },
        { op: 'lt', met: false, left: 1, right: 0 },
      ],
    } as unknown as Branch
    expect(reasons(branch, null, words)).toEqual(['1 gt 0', '1 !lt 0'])
  })
})

describe('a condition that is moved', () => {
  it('goes before another one, within its group or into another', () => {
    const abc: Condition = { op: 'and', conditions: [hot, open, wet] }
    expect(moveTo(abc, [2], { group: [], index: 0 })).toEqual({ op: 'and', conditions: [wet, hot, open] })
    expect(moveTo(abc, [0], { group: [], index: 3 })).toEqual({ op: 'and', conditions: [open, wet, hot] })
    expect(moveTo(abc, [1], { group: [], index: 1 })).toEqual(abc)
    expect(moveTo(tree, [0], { group: [1], index: 1 })).toEqual({
      op: 'and',
      conditions: [{ op: 'or', conditions: [open, hot, { op: 'not', condition: wet }] }],
    })
    expect(moveTo(tree, [1, 0], { group: [], index: 0 })).toEqual({
      op: 'and',
      conditions: [open, hot, { op: 'or', conditions: [{ op: 'not', condition: wet }] }],
    })
  })

  it('takes the group with it that it leaves empty', () => {
    const nested: Condition = { op: 'and', conditions: [hot, { op: 'or', conditions: [open] }] }
    expect(moveTo(nested, [1, 0], { group: [], index: 0 })).toEqual({ op: 'and', conditions: [open, hot] })
  })

  it('never gets lost or doubled, and stays where it is when it cannot go there', () => {
    const path = fc.array(fc.nat(3), { maxLength: 4 })
    fc.assert(
      fc.property(condition, path, path, fc.nat(4), (given, from, group, index) => {
        const moved = moveTo(given, from, { group, index })
        const comparisons = (one: Condition): string[] =>
          childrenOf(one).length === 0 ? [JSON.stringify(one)] : childrenOf(one).flatMap(comparisons)
        if (childrenOf(nodeAt(given, from.slice(0, -1)) ?? hot).length > 1 || moved === given)
          expect(comparisons(moved).sort()).toEqual(comparisons(given).sort())
      }),
    )
  })

  it('can go to every place of every list but those in itself', () => {
    expect(gapsFor(tree, [0])).toEqual([
      { group: [], index: 0 },
      { group: [], index: 1 },
      { group: [1], index: 0 },
      { group: [1], index: 1 },
      { group: [1], index: 2 },
      { group: [], index: 2 },
    ])
    expect(gapsFor(tree, [1]).map(({ index }) => index)).toEqual([0, 1, 2])
    const moved = moveTo(tree, [0], { group: [1], index: 1 })
    expect(pathOf(moved, hot)).toEqual([0, 1])
  })
})
