import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount, startApp, type TestApp } from '../../../test/kit.ts'
import { type ChangedIds, ConfigChanges } from './notices.ts'

let app: TestApp
let account: Awaited<ReturnType<typeof createAccount>>
const heard: ChangedIds[] = []
const moved: ChangedIds[] = []
beforeAll(async () => {
  app = await startApp()
  account = await createAccount(app)
  app.ctx.configChanges.on('twins', (ids) => heard.push(ids))
  app.ctx.configChanges.on('twin_moves', (ids) => moved.push(ids))
})
afterAll(() => app[Symbol.asyncDispose]())

/** What is announced when so many twins are made by one statement, and their ids. */
async function announced(count: number) {
  await app.ctx.configChanges.settle()
  heard.length = 0
  const { rows } = await sql<{ id: number }>`
    insert into twins (category, account_id, scope_id, title)
    select 'digitalTwin', ${account.id}, ${account.scopeId}, 'Twin ' || n from generate_series(1, ${count}::int) as n
    returning id`.execute(app.ctx.db)
  await app.ctx.configChanges.settle()
  return { notices: [...heard], ids: rows.map(({ id }) => id) }
}
const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b)

describe('a change', () => {
  test('names what has changed, several hundred in more than one notice', async () => {
    for (const count of [1, 300, 301, 1_500]) {
      const { notices, ids } = await announced(count)
      expect(notices, String(count)).toHaveLength(Math.ceil(count / 300))
      expect(sorted(notices.flatMap((each) => [...each] as number[]))).toEqual(sorted(ids))
    }
  })

  test('of more than 20 000 names none of them', async () => {
    expect((await announced(20_001)).notices).toEqual(['*'])
  })

  test('of nothing is not announced', async () => {
    expect((await announced(0)).notices).toEqual([])
  })
})

describe('a move', () => {
  /** What is announced of two twins after an update. */
  async function after(update: string, ids: readonly number[]) {
    await app.ctx.configChanges.settle()
    heard.length = 0
    moved.length = 0
    await sql`update twins set ${sql.raw(update)} where id = any(${`{${ids.join(',')}}`}::int[])`.execute(
      app.ctx.db,
    )
    await app.ctx.configChanges.settle()
    const all = (notices: readonly ChangedIds[]) => sorted(notices.flatMap((each) => [...each] as number[]))
    return { changed: all(heard), moved: all(moved) }
  }
  const move = 'latitude = random(), longitude = 8, version = version + 1, moved_to = version + 1'

  test('by values is announced as that, and nothing else', async () => {
    const { ids } = await announced(2)
    expect(await after(move, ids)).toEqual({ changed: [], moved: ids })
    expect(await after(move, ids)).toEqual({ changed: [], moved: ids })
  })

  test('by a person is a change, and so is any other after a move', async () => {
    const { ids } = await announced(2)
    expect(await after('latitude = 50, longitude = 8, version = version + 1', ids)).toEqual({
      changed: ids,
      moved: [],
    })
    await after(move, ids)
    expect(await after('disabled = true', ids)).toEqual({ changed: ids, moved: [] })
    expect(await after("title = 'Other', version = version + 1", ids)).toEqual({ changed: ids, moved: [] })
  })
})

describe('who waits for notices', () => {
  test('has heard of everything committed before, also of what many wait for at once', async () => {
    heard.length = 0
    const waits = Array.from({ length: 20 }, async () => {
      await sql`insert into twins (category, account_id, scope_id, title)
        values ('digitalTwin', ${account.id}, ${account.scopeId}, 'Twin')`.execute(app.ctx.db)
      return app.ctx.configChanges.heardWithin(60_000)
    })
    expect(await Promise.all(waits)).toEqual(waits.map(() => true))
    expect(heard).toHaveLength(20)
  })

  test('is told where none can arrive', async () => {
    await using changes = new ConfigChanges(app.address, app.ctx.log)
    expect(await changes.heardWithin(60_000)).toBe(false)
  })
})
