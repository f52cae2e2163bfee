import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAccount, startApp, type TestApp } from '../../../test/kit.ts'
import { createState } from '../../../test/pipeline.ts'
import { createTwin } from '../../../test/twins.ts'
import { StateCatalog } from './catalog.ts'

let app: TestApp
let catalog: StateCatalog
/** two states of one twin, and one of another */
let ids: [number, number, number]
let twins: [number, number]
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(async () => {
  const account = await createAccount(app)
  const hall = await createTwin(app, account, { title: 'Hall' })
  const yard = await createTwin(app, account, { title: 'Yard' })
  twins = [hall.id, yard.id]
  ids = [
    await createState(app, hall.id, { key: 'level' }),
    await createState(app, hall.id, { key: 'flow' }),
    await createState(app, yard.id, { key: 'noise' }),
  ]
  catalog = new StateCatalog()
  await keys()
  // Only what is read again has another key.
  await sql`update states set key = key || ' new' where id = any(${`{${ids.join(',')}}`}::int[])`.execute(
    app.ctx.db,
  )
})

const keys = async () => {
  const states = await catalog.get(app.ctx.db, ids)
  return ids.map((id) => states.get(id)?.key)
}

describe('what is known of states', () => {
  test('is kept', async () => {
    expect(await keys()).toEqual(['level', 'flow', 'noise'])
  })

  test('is read again for those that are forgotten', async () => {
    catalog.forget([ids[1]])
    expect(await keys()).toEqual(['level', 'flow new', 'noise'])
  })

  test('is read again for those of twins that are forgotten, also after others of them were', async () => {
    catalog.forget([ids[0]])
    catalog.forgetTwins([twins[0]])
    expect(await keys()).toEqual(['level new', 'flow new', 'noise'])
  })

  test('is read again once all is forgotten, and then by twin', async () => {
    catalog.clear()
    expect(await keys()).toEqual(['level new', 'flow new', 'noise new'])
    await sql`update states set key = 'last' where id = ${ids[2]}`.execute(app.ctx.db)
    catalog.forgetTwins([twins[1]])
    expect(await keys()).toEqual(['level new', 'flow new', 'last'])
  })

  test('is not kept if something was forgotten while it was read', async () => {
    catalog.clear()
    const reading = keys()
    catalog.forget([ids[0]])
    await reading
    await sql`update states set key = 'later' where id = ${ids[0]}`.execute(app.ctx.db)
    expect(await keys()).toEqual(['later', 'flow new', 'noise new'])
  })
})
