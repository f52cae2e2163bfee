import { foldFields, parseSearch } from '@leitstand/contract/search'
import fc from 'fast-check'
import { type RawBuilder, sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { fuzzing } from '../../../../test/fuzz.ts'
import { createAccount, startApp, type TestApp } from '../../../../test/kit.ts'
import { createState, createTwin } from '../../../../test/twins.ts'
import { copyStates } from '../store/stateCopies.ts'
import { addStates, fedState } from '../store/stateWrites.ts'
import { deleteUnusedTexts, textsWith } from './store.ts'

let app: TestApp
let db: TestApp['ctx']['db']
let account: { id: number; scopeId: number }

beforeAll(async () => {
  app = await startApp()
  db = app.ctx.db
  account = await createAccount(app)
})

async function newTwin(): Promise<number> {
  return (await createTwin(app, account)).id
}

async function textsOf(word: string): Promise<number> {
  const [only] = parseSearch(word) ?? []
  if (only === undefined) throw new Error(`${word} is no word`)
  return (await textsWith(db, only, 100)).length
}

async function countFound(search: string): Promise<number> {
  return (await app.api.state.search({ search })).items.length
}

async function rowsOf<T>(query: RawBuilder<T>): Promise<T[]> {
  return (await query.execute(db)).rows
}

test('states are folded as the database folds their title and key, however they are made or changed', async () => {
  const [twin, copy] = [await newTwin(), await newTwin()]
  const unit = fc
    .oneof(fc.integer({ min: 0x20, max: 0x5ff }), fc.integer({ min: 0x1d00, max: 0x22ff }))
    .map((code) => String.fromCodePoint(code))
  const title = fc.string({ unit, minLength: 1, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(fc.array(title, { minLength: 1, maxLength: 20 }), title, async (titles, other) => {
      const states = titles.map((each, at) =>
        fedState({ key: `key_${at}`, title: each, unit: '', valueType: 'number' }),
      )
      await addStates(db, [{ twinIds: [twin], states }])
      await sql`update states set title = ${other} where twin_id = ${twin} and key = 'key_0'`.execute(db)
      await copyStates(
        db,
        [{ from: twin, to: copy }],
        { connectors: [], devices: [], isAdministrator: false },
        app.ctx.clock.now(),
      )
      const made = await rowsOf(
        sql<{ title: string; key: string; search: string; isFolded: boolean; isText: boolean }>`
          select title, key, search, search = fold(e'\n' || title || e'\n' || key || e'\n') as "isFolded",
            exists (select from state_texts x where x.id = state_text_id(s.search) and x.search = s.search) as "isText"
          from states s where twin_id in (${twin}, ${copy})`,
      )
      expect(made).toHaveLength(2 * titles.length)
      for (const each of made) {
        expect(each).toMatchObject({ search: foldFields(each.title, each.key), isFolded: true, isText: true })
      }
      await sql`delete from states where twin_id in (${twin}, ${copy})`.execute(db)
    }),
    fuzzing(50),
  )
})

test('a state is found by its new title and not by its old one', async () => {
  const twinId = await newTwin()
  const state = await createState(app, twinId, 'flow', { title: 'Kesselvorlauf' })
  expect(await countFound('kesselvor')).toBe(1)
  await sql`update states set title = 'Brauchwasser' where id = ${state}`.execute(db)
  expect(await countFound('kesselvor')).toBe(0)
  expect(await countFound('brauchwas')).toBe(1)
})

test('texts are held once, and deleted when no state has them any more', async () => {
  const twinIds = [await newTwin(), await newTwin()]
  const states = await Promise.all(
    twinIds.map((twinId) => createState(app, twinId, 'pressure', { title: 'Pumpendruck' })),
  )
  // As two transactions at once may leave it.
  await sql`insert into state_texts select * from state_texts where search like '%pumpendruck%'`.execute(db)
  await deleteUnusedTexts(db)
  expect(await textsOf('pumpendruck')).toBe(1)
  await sql`delete from states where id = ${states[0]}`.execute(db)
  await deleteUnusedTexts(db)
  expect(await textsOf('pumpendruck')).toBe(1)
  expect(await countFound('pumpendruck')).toBe(1)
  await sql`delete from states where id = ${states[1]}`.execute(db)
  await deleteUnusedTexts(db)
  expect(await textsOf('pumpendruck')).toBe(0)
})

test('the text of a state that is just being made is not deleted', async () => {
  const twinId = await newTwin()
  const state = await createState(app, twinId, 'circuit', { title: 'Heizkreis' })
  await sql`delete from states where id = ${state}`.execute(db)
  expect(await textsOf('heizkreis')).toBe(1)
  const tx = await db.startTransaction().execute()
  const heating = fedState({ key: 'circuit', title: 'Heizkreis', unit: '', valueType: 'number' })
  await addStates(tx, [{ twinIds: [twinId], states: [heating] }])
  await expect(deleteUnusedTexts(db)).rejects.toMatchObject({ code: '55P03' })
  await tx.commit().execute()
  await deleteUnusedTexts(db)
  expect(await countFound('heizkreis')).toBe(1)
})

test('two transactions that add the same text do not wait for each other', async () => {
  const [one, other] = [await newTwin(), await newTwin()]
  const state = fedState({ key: 'level', title: 'Zisterne', unit: '', valueType: 'number' })
  const tx = await db.startTransaction().execute()
  await addStates(tx, [{ twinIds: [one], states: [state] }])
  await addStates(db, [{ twinIds: [other], states: [state] }])
  await tx.commit().execute()
  expect(await countFound('zisterne')).toBe(2)
  await deleteUnusedTexts(db)
  expect(await textsOf('zisterne')).toBe(1)
})

test('a rare word is looked up by an index, however many states there are', async () => {
  const twinId = await newTwin()
  await createState(app, twinId, 'rare', { title: 'Seltenes' })
  const [only] = parseSearch('seltenes') ?? []
  if (only === undefined) throw new Error('no word')
  const ids = await textsWith(db, only, 10)
  await app.ctx.db.transaction().execute(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx)
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain select f.id from states f where state_text_id(f.search) = any(${ids}::uuid[])`.execute(tx)
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index.* states_text\b/)
  })
})
