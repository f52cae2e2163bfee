import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzzing } from '../../../../test/fuzz.ts'
import { parseQuery, queryLimits } from './parser.ts'
import { functionNames, QueryError, type Select, type TagCondition, tagNames } from './syntax.ts'

const one = (text: string) => parseQuery(text)[0]
const select = (text: string) => one(text) as Select
const reasonOf = (text: string): string => {
  try {
    parseQuery(text)
  } catch (error) {
    if (error instanceof QueryError) return error.message
    throw error
  }
  throw new Error(`read: ${text}`)
}

describe('a SELECT', () => {
  it('is read as Grafana writes it', () => {
    const text =
      'SELECT mean("value_number") FROM "states_history" WHERE ("dtwin_id"::tag = \'12\' AND "state_identifier"::tag =~ /^(t|h)$/) AND time >= 1767225600000ms and time <= 1767229200000ms GROUP BY time(30s), "state_identifier"::tag fill(null)'
    expect(select(text)).toMatchObject({
      kind: 'select',
      isKnown: true,
      descending: false,
      limit: null,
      offset: 0,
      timeZone: 'UTC',
      columns: [{ kind: 'function', name: 'mean', field: 'value_number', as: 'mean' }],
      interval: { lengthMs: 30_000, offsetMs: 0 },
      groupBy: ['state_identifier'],
      fill: { kind: 'null' },
      where: {
        tags: {
          kind: 'and',
          of: [
            { kind: 'is', tag: 'dtwin_id', value: '12', negated: false },
            { kind: 'matches', tag: 'state_identifier', negated: false },
          ],
        },
        times: [
          { comparison: '>=', fromNow: false, ms: 1_767_225_600_000 },
          { comparison: '<=', fromNow: false, ms: 1_767_229_200_000 },
        ],
      },
    })
  })

  it('takes times in every form', () => {
    const msOf = (time: string) =>
      select(`SELECT value_number FROM states_history WHERE time > ${time}`).where.times
    const at = Date.parse('2026-05-04T10:00:00Z')
    for (const time of [
      ...["'2026-05-04T10:00:00Z'", "'2026-05-04 10:00:00'", "'2026-05-04T12:00:00+02:00'"],
      ...[`${at}ms`, `${at / 1000}s`, `${at}000000`, `${at}000u`, "'2026-05-04' + 10h", `${at - 1}ms + 1ms`],
    ])
      expect(msOf(time), time).toEqual([{ comparison: '>', fromNow: false, ms: at }])
    expect(msOf('now() - 1h30m + 5s')).toEqual([{ comparison: '>', fromNow: true, ms: -5_395_000 }])
    expect(msOf(`${at}000001`)).toEqual([{ comparison: '>', fromNow: false, ms: at + 1e-6 }])
  })

  it('takes everything that may follow, in its order', () => {
    expect(
      select(
        'select LAST(value_string) AS "the last", count(value_number), count(value_number) from leitstand..states_history group by *, time(1d, -6h) fill(-1.5) order by time desc limit 3 offset 4 slimit 5 soffset 6 tz(\'Europe/Berlin\');',
      ),
    ).toMatchObject({
      columns: [{ as: 'the last' }, { as: 'count' }, { as: 'count_1' }],
      groupBy: ['dtwin_id', 'dtwin_title', 'state_identifier'],
      interval: { lengthMs: 86_400_000, offsetMs: -21_600_000 },
      fill: { kind: 'value', value: -1.5 },
      descending: true,
      limit: 3,
      offset: 4,
      seriesLimit: 5,
      seriesOffset: 6,
      timeZone: 'Europe/Berlin',
    })
    expect(
      select('SELECT * FROM "leitstand"."autogen"."states_history"').columns.map(({ as }) => as),
    ).toEqual([...['dtwin_id', 'dtwin_title', 'state_identifier', 'value_number', 'value_string']])
    expect(select('SELECT value_number FROM cpu').isKnown).toBe(false)
  })

  it('keeps quotation marks that are escaped', () => {
    const { where } = select(
      "SELECT value_number FROM states_history WHERE dtwin_title = 'it\\'s \\\\ mine; --'",
    )
    expect(where.tags).toMatchObject({ value: "it's \\ mine; --" })
  })

  it('that cannot be answered says why', () => {
    const from = 'FROM states_history'
    expect(reasonOf('')).toBe('there is no statement in the query')
    expect(reasonOf('DROP DATABASE leitstand')).toMatch(
      /^expected SELECT or SHOW at character 1, found "DROP/,
    )
    expect(reasonOf(`SELECT derivative(value_number) ${from}`)).toMatch(
      /^there is no function derivative\(\); .*MEAN/,
    )
    expect(reasonOf(`SELECT mean(value_string) ${from}`)).toMatch(/^MEAN needs numbers/)
    expect(reasonOf(`SELECT cpu ${from}`)).toMatch(/^there is no field cpu/)
    expect(reasonOf(`SELECT value_number ${from} WHERE host = 'a'`)).toMatch(/^there is no tag host/)
    expect(reasonOf(`SELECT value_number ${from} WHERE value_number > 5`)).toMatch(/^conditions on fields/)
    expect(reasonOf(`SELECT value_number ${from} WHERE dtwin_id = '1' OR time > 0`)).toMatch(/part of an OR/)
    expect(reasonOf(`SELECT value_number ${from} WHERE time > 'yesterday'`)).toMatch(
      /^"yesterday" is no time/,
    )
    expect(reasonOf(`SELECT value_number ${from} GROUP BY time(0s)`)).toMatch(/whole milliseconds/)
    expect(reasonOf(`SELECT value_number ${from} fill(linear)`)).toMatch(/^expected null, none, previous/)
    expect(reasonOf(`SELECT value_number INTO other ${from}`)).toMatch(/^expected FROM/)
    expect(reasonOf(`SELECT value_number ${from} tz('Mars/Base')`)).toMatch(/^expected a time zone/)
    expect(reasonOf(`SELECT value_number ${from} SELECT`)).toMatch(/^expected ";"/)
  })
})

describe('SHOW', () => {
  it('is read as Grafana writes it', () => {
    expect(one('SHOW DATABASES')).toMatchObject({ kind: 'databases' })
    expect(one('SHOW RETENTION POLICIES on "leitstand"')).toMatchObject({ kind: 'policies' })
    expect(one('SHOW MEASUREMENTS WITH MEASUREMENT =~ /(?i)STATES/ LIMIT 100')).toMatchObject({
      kind: 'measurements',
      isKnown: true,
      limit: 100,
    })
    expect(one('SHOW MEASUREMENTS WITH MEASUREMENT =~ /cpu/')).toMatchObject({ isKnown: false })
    expect(one('SHOW FIELD KEYS FROM "autogen"."states_history"')).toMatchObject({ kind: 'fieldKeys' })
    expect(one("SHOW TAG KEYS FROM states_history WHERE dtwin_id = '1'")).toMatchObject({ kind: 'tagKeys' })
    expect(
      one(
        'SHOW TAG VALUES ON "leitstand" FROM "states_history" WITH KEY = "state_identifier" WHERE time > now() - 1h AND "dtwin_id" = \'7\' LIMIT 10 OFFSET 1',
      ),
    ).toMatchObject({
      kind: 'tagValues',
      keys: ['state_identifier'],
      limit: 10,
      offset: 1,
      where: { tags: { kind: 'is', tag: 'dtwin_id', value: '7' } },
    })
    expect(one('SHOW TAG VALUES WITH KEY IN ("dtwin_title", host, dtwin_id)')).toMatchObject({
      keys: ['dtwin_id', 'dtwin_title'],
    })
  })

  it('and SELECT stand in one request, with semicolons', () => {
    expect(parseQuery(';SHOW DATABASES;; SHOW MEASUREMENTS ;').map(({ kind }) => kind)).toEqual([
      ...['databases', 'measurements'],
    ])
  })
})

it('has bounds', () => {
  const { depthMax, statementsMax, lengthMax, conditionsMax, columnsMax } = queryLimits
  const from = 'SELECT value_number FROM states_history'
  expect(reasonOf('SHOW DATABASES;'.repeat(statementsMax + 1))).toMatch(/50 statements/)
  expect(reasonOf(`${from} WHERE ${'('.repeat(depthMax + 1)}`)).toMatch(/50 brackets/)
  expect(reasonOf(`${from} WHERE dtwin_id='1'${" OR dtwin_id='1'".repeat(conditionsMax)}`)).toMatch(
    /1000 comp/,
  )
  expect(reasonOf(' '.repeat(lengthMax + 1))).toMatch(/50000 characters/)
  expect(reasonOf(`SELECT ${'value_number,'.repeat(columnsMax)} value_number FROM x`)).toMatch(/20 columns/)
})

describe('the worst input', () => {
  const from = 'SELECT value_number FROM states_history'

  it('is refused with a reason', () => {
    expect(reasonOf(`${from} WHERE ${'('.repeat(10_000)}dtwin_id = '1'${')'.repeat(10_000)}`)).toBe(
      'a condition may have 50 brackets within each other',
    )
    for (const text of ['a', ' ', '(', "'", '\\', '🌡️'])
      expect(reasonOf(text.repeat(1_000_000))).toBe('a query may have 50000 characters')
    expect(
      reasonOf(`${from} WHERE dtwin_id = '1'${" OR dtwin_id = '1' AND dtwin_id = '2'".repeat(1_000)}`),
    ).toBe('a condition may have 1000 comparisons')
    expect(reasonOf(`${from} WHERE dtwin_id = '${'a'.repeat(40_000)}`)).toMatch(/^expected a text in '…'/)
    expect(reasonOf(`${from} WHERE dtwin_id = '${'\\'.repeat(40_001)}'`)).toMatch(/^expected a text in '…'/)
    expect(reasonOf(`${from} WHERE dtwin_id =~ /${'('.repeat(40_000)}`)).toMatch(
      /^expected a regular expression/,
    )
    expect(reasonOf(`SELECT "${'a'.repeat(40_000)}`)).toMatch(/^expected a field or a function/)
    expect(reasonOf(`${from} WHERE time > ${'1h'.repeat(20_000)}x`)).toMatch(/^expected a time/)
    expect(reasonOf(`${from} WHERE time > now()${' + 1h'.repeat(9_000)} + x`)).toMatch(/^expected a duration/)
  })

  it('is read as far as the limits allow', () => {
    const { depthMax, conditionsMax } = queryLimits
    const nested = `${'('.repeat(depthMax)}dtwin_id = '1'${')'.repeat(depthMax)}`
    expect(select(`${from} WHERE ${nested}`).where.tags).toMatchObject({ kind: 'is', value: '1' })
    const chain = Array.from({ length: conditionsMax }, (_, at) => `dtwin_id = '${at}'`).join(' OR ')
    expect(select(`${from} WHERE ${chain}`).where.tags).toMatchObject({
      kind: 'or',
      of: { length: conditionsMax },
    })
    expect(select(`${from}${' '.repeat(49_000)}LIMIT 1`).limit).toBe(1)
  })

  it('cut off anywhere is a statement or a reason', () => {
    const text =
      'SELECT mean("value_number"::field) AS "m" FROM "leitstand"."autogen"."states_history" WHERE ("dtwin_id"::tag = \'it\\\'s\' OR "state_identifier"::tag !~ /^(t|h)$/) AND time >= now() - 1h30m GROUP BY time(1d, -6h), "dtwin_id" fill(-1.5) ORDER BY time DESC LIMIT 3 OFFSET 4 SLIMIT 5 SOFFSET 6 tz(\'Europe/Berlin\'); SHOW TAG VALUES WITH KEY IN ("dtwin_title", dtwin_id) LIMIT 1'
    let read = 0
    for (let length = 0; length <= text.length; length++) {
      try {
        read += Math.sign(parseQuery(text.slice(0, length)).length)
      } catch (error) {
        expect(error, text.slice(0, length)).toBeInstanceOf(QueryError)
      }
    }
    expect(parseQuery(text)).toHaveLength(2)
    expect(read).toBeLessThan(text.length)
  })
})

const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`
const printed = (tags: TagCondition): string => {
  if (tags.kind === 'matches') throw new Error('not generated')
  if (tags.kind === 'is') return `"${tags.tag}"::tag ${tags.negated ? '!=' : '='} ${quoted(tags.value)}`
  return tags.of.map((one) => `(${printed(one)})`).join(` ${tags.kind} `)
}

it('reads what was printed', () => {
  const { condition } = fc.letrec<{ condition: TagCondition }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 5 },
      fc.record({
        kind: fc.constant('is' as const),
        tag: fc.constantFrom(...tagNames),
        value: fc.string({ unit: 'binary', maxLength: 12 }),
        negated: fc.boolean(),
      }),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        of: fc.array(tie('condition'), { minLength: 2, maxLength: 3 }),
      }),
    ),
  }))
  const query = fc.record({
    // The top is an OR: conditions on time are taken out of an AND.
    tags: condition.map((one): TagCondition => (one.kind === 'and' ? { ...one, kind: 'or' } : one)),
    name: fc.constantFrom(...functionNames),
    sinceMs: fc.nat(),
    seconds: fc.integer({ min: 1, max: 86_400 }),
    groupBy: fc.subarray([...tagNames]),
    value: fc.integer(),
    descending: fc.boolean(),
    limit: fc.nat(),
    offset: fc.nat(),
  })
  fc.assert(
    fc.property(query, ({ tags, name, sinceMs, seconds, groupBy, value, descending, limit, offset }) => {
      const text = [
        `SELECT ${name}(value_number) FROM states_history`,
        `WHERE (${printed(tags)}) AND time >= ${sinceMs}ms`,
        `GROUP BY ${[`time(${seconds}s)`, ...groupBy].join(', ')} fill(${value})`,
        `ORDER BY time ${descending ? 'DESC' : 'ASC'} LIMIT ${limit} OFFSET ${offset}`,
      ].join(' ')
      expect(parseQuery(text)).toEqual([
        {
          kind: 'select',
          columns: [{ kind: 'function', name, field: 'value_number', as: name }],
          isKnown: true,
          where: { tags, times: [{ comparison: '>=', fromNow: false, ms: sinceMs }] },
          interval: { lengthMs: seconds * 1_000, offsetMs: 0 },
          groupBy,
          fill: { kind: 'value', value },
          descending,
          limit,
          offset,
          seriesLimit: null,
          seriesOffset: 0,
          timeZone: 'UTC',
        },
      ])
    }),
    fuzzing(500),
  )
})

const word = fc.constantFrom(
  ...'SELECT SHOW TAG VALUES KEYS FIELD FROM WHERE AND OR GROUP BY time ( ) , . .. ; * = != <> =~ !~ < > :: fill null previous'.split(
    ' ',
  ),
  ...'states_history "states_history" value_number value_string dtwin_id state_identifier mean last as now() - + 1h 30s'.split(
    ' ',
  ),
  ...[
    "'a'",
    "'",
    '"',
    '/a|b/',
    '/(/',
    '/',
    '\\',
    '0',
    '-1',
    '99999999999999999999',
    '1e9',
    '\u0000',
    '\ud800',
    '🌡️',
  ],
  ...[
    'limit',
    'offset',
    'order',
    'desc',
    'tz',
    "'2026-13-45'",
    "'Europe/Berlin'",
    'WITH',
    'KEY',
    'IN',
    '9999w',
  ],
)

it('never fails but with a reason, whatever the text', () => {
  const texts = fc.oneof(
    fc.array(word, { maxLength: 40 }).map((words) => words.join(' ')),
    fc.array(word, { maxLength: 40 }).map((words) => words.join('')),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc
      .tuple(
        fc.constantFrom(
          'SELECT mean(value_number) FROM states_history WHERE ',
          'SHOW TAG VALUES WITH KEY = ',
        ),
        fc.array(word),
      )
      .map(([start, words]) => start + words.join(' ')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      try {
        expect(parseQuery(text).length).toBeGreaterThan(0)
      } catch (error) {
        expect(error).toBeInstanceOf(QueryError)
      }
    }),
    fuzzing(3000),
  )
})
