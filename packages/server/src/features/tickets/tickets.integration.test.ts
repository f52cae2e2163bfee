import { randomUUID } from 'node:crypto'
import { ticketLimits } from '@leitstand/contract/tickets'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createAccount,
  createRole,
  createUser,
  errorOf,
  FakeClock,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../test/kit.ts'
import { openLive } from '../../../test/live.ts'
import { dot } from '../../../test/pictures.ts'
import { createTwin } from '../../../test/twins.ts'

const clock = new FakeClock('2026-06-15T12:00:00.000Z')
const broken = {
  type: 'heatingFailure',
  subject: 'The heater stays cold',
  comment: 'Since this morning',
} as const

let app: TestApp
let reporterRole: number
let managerRole: number
let account: Awaited<ReturnType<typeof createAccount>>
let building: { id: number }
let room: { id: number }

beforeAll(async () => {
  app = await startApp({ clock })
  reporterRole = await roleNamed(app, 'Ticket reporter')
  managerRole = await roleNamed(app, 'Facility manager')
})
beforeEach(async () => {
  clock.set('2026-06-15T12:00:00.000Z')
  account = await createAccount(app)
  building = await createTwin(app, account, { title: 'Town hall' })
  room = await createTwin(app, account, { title: 'Room 101', parentId: building.id })
})

const person = (roleId: number, of = account) => createUser(app, of, [{ roleId }])
const edited = (ticket: Awaited<ReturnType<TestApp['api']['isFmTicket']['get']>>) => ({
  id: ticket.id,
  version: ticket.version,
  twinId: ticket.twin.id,
  type: ticket.type,
  subject: ticket.subject,
  state: ticket.state,
  priority: ticket.priority,
  dueAt: ticket.dueAt,
  assigneeId: ticket.assignee?.userId ?? null,
})

describe('a report', () => {
  it('becomes a ticket with a number of its account, which its reporter and those who manage tickets see', async () => {
    const [ada, max, other] = [
      await person(reporterRole),
      await person(managerRole),
      await person(reporterRole),
    ]
    const places = await ada.api.isFmTicket.places({ search: '101' })
    expect(places.items).toEqual([{ id: room.id, title: 'Room 101', above: ['Town hall'] }])
    const made = await ada.api.isFmTicket.create({ ...broken, twinId: room.id, priority: 'urgent' })
    expect(made).toMatchObject({
      ...broken,
      number: 1,
      state: 0,
      // Who only reports does not decide what is urgent.
      priority: 'normal',
      twin: { id: room.id, title: 'Room 101', above: ['Town hall'] },
      closedAt: null,
      editable: false,
      source: 'person',
    })
    expect(made.reporter).toMatchObject({ userId: ada.id, name: expect.stringMatching(/./) })
    expect((await ada.api.isFmTicket.ofUser({ userId: ada.id })).items).toEqual([made])
    expect((await max.api.isFmTicket.list({})).items).toMatchObject([{ id: made.id, editable: true }])
    expect(await max.api.isFmTicket.count({})).toEqual({ count: 1 })
    expect((await other.api.isFmTicket.ofUser({ userId: ada.id })).items).toEqual([])
    expect(await errorOf(other.api.isFmTicket.get({ id: made.id }))).toMatchObject({
      code: 'TICKET_NOT_FOUND',
    })
    expect(await errorOf(ada.api.isFmTicket.list({}))).toMatchObject({ code: 'NO_PERMISSION' })
    const { items } = await app.api.activityLog.list({ subject: 'Ticket', objectId: made.id })
    expect(items.map(({ action, objectTitle }) => [action, objectTitle])).toEqual([
      ['create', '#1 The heater stays cold'],
    ])
  })

  it('that is sent again with its key is the same ticket, also by two at once, and not that of somebody else', async () => {
    const [ada, ben] = [await person(reporterRole), await person(reporterRole)]
    const sent = { ...broken, twinId: room.id, key: randomUUID() }
    const all = await Promise.all([1, 2, 3].map(() => ada.api.isFmTicket.create(sent)))
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    const his = await ben.api.isFmTicket.create({ ...sent, again: true })
    expect(his.id).not.toBe(all[0]?.id)
    expect((await app.api.activityLog.list({ subject: 'Ticket', objectId: his.id })).total).toBe(1)
  })

  it('of the same is refused, however it is written, unless that is meant: TICKET_DUPLICATE', async () => {
    const [ada, ben] = [await person(reporterRole), await person(reporterRole)]
    const first = await ada.api.isFmTicket.create({ ...broken, twinId: room.id })
    const again = { ...broken, twinId: room.id, subject: '  the HEATER stays cold' }
    expect(await errorOf(ben.api.isFmTicket.create(again))).toMatchObject({
      code: 'TICKET_DUPLICATE',
      status: 409,
      data: { number: first.number },
    })
    const { open } = await ben.api.isFmTicket.place({ twinId: room.id })
    expect(open).toMatchObject([{ id: first.id, number: 1, subject: broken.subject }])
    expect(await ben.api.isFmTicket.create({ ...again, again: true })).toMatchObject({ number: 2 })
    expect(await ben.api.isFmTicket.create({ ...again, twinId: building.id })).toMatchObject({ number: 3 })
  })

  it('needs a twin the reporter may report at, and a subject: DTWIN_NOT_FOUND', async () => {
    const eve = await person(reporterRole, await createAccount(app))
    const attempt = eve.api.isFmTicket.create({ ...broken, twinId: room.id })
    expect(await errorOf(attempt)).toMatchObject({ code: 'DTWIN_NOT_FOUND', status: 404 })
    expect(await errorOf(eve.api.isFmTicket.place({ twinId: room.id }))).toMatchObject({
      code: 'DTWIN_NOT_FOUND',
    })
    const device = await createTwin(app, account, { category: 'virtualDevice' })
    const ada = await person(reporterRole)
    const atDevice = ada.api.isFmTicket.create({ ...broken, twinId: device.id })
    expect(await errorOf(atDevice)).toMatchObject({ code: 'DTWIN_NOT_FOUND' })
    for (const subject of ['', '   ', 'x'.repeat(ticketLimits.subjectMax + 1), 'a\u202eb'])
      expect(await errorOf(ada.api.isFmTicket.create({ ...broken, twinId: room.id, subject }))).toMatchObject(
        {
          status: 400,
        },
      )
  })

  it('is refused when a person has too many open ones: TICKETS_LIMIT', async () => {
    const ada = await person(reporterRole)
    const at = clock.now()
    await app.ctx.db
      .insertInto('tickets')
      .values(
        Array.from({ length: ticketLimits.openOfReporterMax }, (_, index) => ({
          account_id: account.id,
          number: 1000 + index,
          twin_id: room.id,
          type: 'defect',
          subject: `${index}`,
          comment: '',
          source: 'person',
          reported_by: ada.id,
          reporter_name: 'Ada',
          created_at: at,
          changed_at: at,
        })),
      )
      .execute()
    const more = () => ada.api.isFmTicket.create({ ...broken, twinId: room.id })
    expect(await errorOf(more())).toMatchObject({ code: 'TICKETS_LIMIT', status: 409 })
    const { items } = await ada.api.isFmTicket.ofUser({ userId: ada.id, limit: 1 })
    await app.api.isFmTicket.setState({ id: items[0]?.id as number, state: 2 })
    expect(await more()).toMatchObject({ state: 0 })
  })

  it('can have a photo, which only those see who see the ticket', async () => {
    const [ada, ben] = [await person(reporterRole), await person(reporterRole)]
    const { id } = await ada.api.isFmTicket.create({ ...broken, twinId: room.id })
    const file = {
      object: 'ticket',
      objectId: id,
      role: 'picture',
      file: new File([dot], 'dot.png'),
    } as const
    const stored = await ada.api.upload.post(file)
    expect(await ada.api.isFmTicket.get({ id })).toMatchObject({ pictureId: stored.id })
    expect(await errorOf(ben.api.upload.file({ id: stored.id }))).toMatchObject({ code: 'FILE_NOT_FOUND' })
    expect(await errorOf(ben.api.upload.post(file))).toMatchObject({ code: 'TICKET_NOT_FOUND' })
    await app.api.isFmTicket.setState({ id, state: 2 })
    expect(await errorOf(ada.api.upload.post(file))).toMatchObject({ code: 'NO_PERMISSION' })
    await app.api.isFmTicket.delete({ id })
    expect(await errorOf(app.api.upload.file({ id: stored.id }))).toMatchObject({ code: 'FILE_NOT_FOUND' })
  })
})

describe('a ticket', () => {
  it('is moved, assigned and commented, and its history says who did what', async () => {
    const [ada, max] = [await person(reporterRole), await person(managerRole)]
    const made = await ada.api.isFmTicket.create({ ...broken, twinId: room.id })
    clock.advance(60_000)
    const { items: people } = await max.api.isFmTicket.assignees({ id: made.id })
    expect(people.map(({ id }) => id)).toEqual([max.id])
    const assigned = await max.api.isFmTicket.update({
      ...edited(made),
      assigneeId: max.id,
      priority: 'high',
      dueAt: '2026-06-17',
    })
    expect(assigned).toMatchObject({ assignee: { userId: max.id }, priority: 'high', dueAt: '2026-06-17' })
    await max.api.isFmTicket.setState({ id: made.id, state: 1 })
    await ada.api.isFmTicket.comment({ id: made.id, text: 'Thank you' })
    clock.advance(60_000)
    const done = await max.api.isFmTicket.setState({ id: made.id, state: 2 })
    expect(done).toMatchObject({ state: 2, closedAt: clock.now().toISOString(), comments: 1 })
    const back = await max.api.isFmTicket.setState({ id: made.id, state: 0 })
    expect(back).toMatchObject({ state: 0, closedAt: null })
    const { items } = await app.api.isFmTicket.history({ id: made.id })
    expect(items.map(({ kind, text, changes, by }) => [by.userId, kind, text, changes])).toEqual([
      [ada.id, 'created', '', {}],
      [
        max.id,
        'change',
        '',
        { assignee: [null, people[0]?.name], priority: ['normal', 'high'], dueAt: [null, '2026-06-17'] },
      ],
      [max.id, 'change', '', { state: ['0', '1'] }],
      [ada.id, 'comment', 'Thank you', {}],
      [max.id, 'change', '', { state: ['1', '2'] }],
      [max.id, 'change', '', { state: ['2', '0'] }],
    ])
    expect(items[0]?.by.name).toMatch(/./)
  })

  it('shows no names to those who may not read users', async () => {
    const [ada, max] = [await person(reporterRole), await person(managerRole)]
    const made = await ada.api.isFmTicket.create({ ...broken, twinId: room.id })
    expect(await max.api.isFmTicket.get({ id: made.id })).toMatchObject({
      reporter: { userId: ada.id, name: null },
    })
    await max.api.isFmTicket.update({ ...edited(made), assigneeId: max.id })
    await max.api.isFmTicket.comment({ id: made.id, text: 'On my way' })
    expect(await ada.api.isFmTicket.get({ id: made.id })).toMatchObject({ assignee: { name: null } })
    const { items } = await ada.api.isFmTicket.history({ id: made.id })
    expect(items.map(({ by, changes }) => [by.name === null, changes])).toEqual([
      [false, {}],
      [true, { assignee: [null, null] }],
      [true, {}],
    ])
  })

  it('is changed by those who manage it only, and never over the change of another', async () => {
    const [ada, max] = [await person(reporterRole), await person(managerRole)]
    const made = await ada.api.isFmTicket.create({ ...broken, twinId: room.id })
    expect(await errorOf(ada.api.isFmTicket.setState({ id: made.id, state: 2 }))).toMatchObject({
      code: 'NO_PERMISSION',
    })
    const reader = await createUser(app, account, [
      { roleId: await createRole(app, [{ subject: 'IsFmTicket', actions: ['read'] }]) },
      // Somewhere else they manage tickets.
      { roleId: managerRole, scopeId: (await createAccount(app)).scopeId },
    ])
    expect(await errorOf(reader.api.isFmTicket.update(edited(made)))).toMatchObject({ code: 'NO_PERMISSION' })
    await max.api.isFmTicket.update({ ...edited(made), priority: 'low' })
    expect(await errorOf(max.api.isFmTicket.update({ ...edited(made), priority: 'high' }))).toMatchObject({
      code: 'VERSION_CONFLICT',
    })
    const eve = await person(managerRole, await createAccount(app))
    for (const attempt of [
      () => eve.api.isFmTicket.update(edited(made)),
      () => eve.api.isFmTicket.delete({ id: made.id }),
      () => eve.api.isFmTicket.comment({ id: made.id, text: 'x' }),
      () => eve.api.isFmTicket.history({ id: made.id }),
      () => eve.api.isFmTicket.assignees({ id: made.id }),
    ])
      expect(await errorOf(attempt())).toMatchObject({ code: 'TICKET_NOT_FOUND' })
  })

  it('is given only to those who may take care of it: TICKET_ASSIGNEE_INVALID', async () => {
    const [ada, max] = [await person(reporterRole), await person(managerRole)]
    const made = await ada.api.isFmTicket.create({ ...broken, twinId: room.id })
    const eve = await person(managerRole, await createAccount(app))
    for (const assigneeId of [ada.id, eve.id])
      expect(await errorOf(max.api.isFmTicket.update({ ...edited(made), assigneeId }))).toMatchObject({
        code: 'TICKET_ASSIGNEE_INVALID',
      })
  })

  it('stays in its account: TICKET_ANOTHER_ACCOUNT', async () => {
    const made = await app.api.isFmTicket.create({ ...broken, twinId: room.id })
    const elsewhere = await createTwin(app, await createAccount(app))
    const moved = (twinId: number) => app.api.isFmTicket.update({ ...edited(made), twinId })
    expect(await errorOf(moved(elsewhere.id))).toMatchObject({ code: 'TICKET_ANOTHER_ACCOUNT' })
    expect(await moved(building.id)).toMatchObject({ twin: { title: 'Town hall' } })
  })

  it('is joined with the one that reports the same, and neither with itself nor in a circle', async () => {
    const make = (subject: string) => app.api.isFmTicket.create({ ...broken, twinId: room.id, subject })
    const [first, second, third] = [await make('cold'), await make('very cold'), await make('freezing')]
    expect(await app.api.isFmTicket.join({ id: third.id, number: second.number })).toMatchObject({
      state: 2,
      duplicateOf: { id: second.id, number: second.number },
    })
    await app.api.isFmTicket.join({ id: second.id, number: first.number })
    expect(await app.api.isFmTicket.get({ id: third.id })).toMatchObject({ duplicateOf: { id: first.id } })
    expect(await app.api.isFmTicket.get({ id: first.id })).toMatchObject({ duplicates: 2, state: 0 })
    for (const number of [first.number, second.number])
      expect(await errorOf(app.api.isFmTicket.join({ id: first.id, number }))).toMatchObject({
        code: 'TICKET_JOIN_INVALID',
      })
    const unknown = app.api.isFmTicket.join({ id: first.id, number: 999 })
    expect(await errorOf(unknown)).toMatchObject({ code: 'TICKET_NOT_FOUND' })
    // Opened again it is a ticket of its own.
    expect(await app.api.isFmTicket.setState({ id: third.id, state: 1 })).toMatchObject({ duplicateOf: null })
  })

  it('takes no more comments than it can have: TICKET_COMMENTS_LIMIT', async () => {
    const { id } = await app.api.isFmTicket.create({ ...broken, twinId: room.id })
    const comment = { ticket_id: id, at: clock.now(), user_name: 'Ada', kind: 'comment', text: 'x' }
    await app.ctx.db
      .insertInto('ticket_entries')
      .values(Array.from({ length: ticketLimits.commentsMax }, () => comment))
      .execute()
    expect(await errorOf(app.api.isFmTicket.comment({ id, text: 'one more' }))).toMatchObject({
      code: 'TICKET_COMMENTS_LIMIT',
    })
  })

  it('is gone with its twin, and with the right to its place', async () => {
    const ada = await person(reporterRole)
    const made = await ada.api.isFmTicket.create({ ...broken, twinId: room.id })
    await app.api.digitaltwin.delete({ id: room.id })
    expect(await errorOf(ada.api.isFmTicket.get({ id: made.id }))).toMatchObject({ code: 'TICKET_NOT_FOUND' })
  })

  it('is heard of by those who see it', async () => {
    const [max, eve] = [await person(managerRole), await person(managerRole, await createAccount(app))]
    using his = await openLive(app, max.token)
    using hers = await openLive(app, eve.token)
    for (const live of [his, hers]) await live.follow('tickets')
    const made = await app.api.isFmTicket.create({ ...broken, twinId: room.id })
    const heard = { kind: 'ticket', topic: 'tickets', ticketId: made.id, timeMs: clock.now().getTime() }
    expect(await his.received()).toEqual([heard])
    expect(await hers.received()).toEqual([])
  })
})

describe('the list of tickets', () => {
  it('is filtered by state, type, assignee, day, place and words', async () => {
    const max = await person(managerRole)
    const make = (words: object) => app.api.isFmTicket.create({ ...broken, twinId: room.id, ...words })
    const cold = await make({})
    const dirty = await make({ type: 'pollution', subject: 'Müll im Flur', twinId: building.id })
    const elsewhere = await createTwin(app, account, { title: 'Pool' })
    const leak = await make({ type: 'waterLeakage', subject: 'Leak', twinId: elsewhere.id })
    await max.api.isFmTicket.update({
      ...edited(leak),
      assigneeId: max.id,
      dueAt: '2026-06-14',
      priority: 'urgent',
    })
    await max.api.isFmTicket.setState({ id: dirty.id, state: 2 })
    type Asked = Parameters<TestApp['api']['isFmTicket']['list']>[0]
    const found = async (asked: Asked) => (await max.api.isFmTicket.list(asked)).items.map(({ id }) => id)
    expect(await found({})).toEqual([leak.id, dirty.id, cold.id])
    expect(await found({ states: [0, 1] })).toEqual([leak.id, cold.id])
    expect(await found({ types: ['pollution'] })).toEqual([dirty.id])
    expect(await found({ priorities: ['urgent'] })).toEqual([leak.id])
    expect(await found({ assigned: 'me' })).toEqual([leak.id])
    expect(await found({ assigned: 'nobody' })).toEqual([dirty.id, cold.id])
    expect(await found({ overdue: true, today: '2026-06-15' })).toEqual([leak.id])
    expect(await found({ overdue: true, today: '2026-06-14' })).toEqual([])
    expect(await found({ inTwinId: building.id })).toEqual([dirty.id, cold.id])
    expect(await found({ search: 'muell' })).toEqual([dirty.id])
    expect(await found({ search: 'pool' })).toEqual([leak.id])
    expect(await found({ search: `"#${cold.number}"` })).toEqual([cold.id])
    expect(await found({ order_by: '-priority' })).toEqual([leak.id, dirty.id, cold.id])
    expect(await max.api.isFmTicket.count({ state: 2 })).toEqual({ count: 1 })
  })

  it('has favourites, of those who may read it, until the ticket or the right is gone', async () => {
    const [max, reporter] = [await person(managerRole), await person(reporterRole)]
    const cold = await reporter.api.isFmTicket.create({ ...broken, twinId: room.id })
    const other = await app.api.isFmTicket.create({ ...broken, subject: 'Leak', twinId: room.id })
    const star = { type: 'ticket', objectId: cold.id } as const
    expect(await max.api.favorite.create(star)).toMatchObject({
      ...star,
      title: `#${cold.number} ${cold.subject}`,
    })
    expect(await errorOf(reporter.api.favorite.create(star))).toMatchObject({ code: 'NOT_FOUND' })
    const listed = async () => (await max.api.isFmTicket.list({ favorites: true })).items.map(({ id }) => id)
    expect(await listed()).toEqual([cold.id])
    expect(await max.api.isFmTicket.count({ favorites: true })).toEqual({ count: 1 })
    expect((await app.api.isFmTicket.list({ favorites: true })).items).toEqual([])
    await max.api.favorite.create({ type: 'ticket', objectId: other.id })
    await app.api.isFmTicket.delete({ id: cold.id })
    expect((await max.api.favorite.list()).items.map(({ objectId }) => objectId)).toEqual([other.id])
    await switchOff()
    expect((await max.api.favorite.list()).items).toEqual([])
  })

  it('is summed up', async () => {
    const make = (words: object) => app.api.isFmTicket.create({ ...broken, twinId: room.id, ...words })
    const [cold] = [
      await make({}),
      await make({ type: 'defect', subject: 'Lamp' }),
      await make({ twinId: building.id }),
    ]
    clock.advance(3_600_000)
    await app.api.isFmTicket.setState({ id: cold.id, state: 2 })
    expect(await app.api.isFmTicket.statistics({ inTwinId: building.id })).toEqual({
      reported: 3,
      done: 1,
      open: 2,
      medianSeconds: 3600,
      types: [
        { type: 'heatingFailure', reported: 2, open: 1 },
        { type: 'defect', reported: 1, open: 1 },
      ],
      places: [
        { id: room.id, title: 'Room 101', reported: 2, open: 1 },
        { id: building.id, title: 'Town hall', reported: 1, open: 1 },
      ],
    })
  })

  it('is a file for a spreadsheet', async () => {
    const max = await person(managerRole)
    await app.api.isFmTicket.create({ ...broken, twinId: room.id, subject: '=1+1' })
    const { body } = await max.api.isFmTicket.exportFile({ language: 'de' })
    const text = await new Response(body as Blob).text()
    expect(text).toContain('Heizungsausfall')
    expect(text).toContain('Town hall › Room 101')
    // A formula is a text.
    expect(text).not.toMatch(/;=1\+1/)
  })
})

async function switchOff(): Promise<void> {
  const { items } = await app.api.module.list({ accountId: account.id })
  const facility = items.find(({ module }) => module === 'facility')
  await app.api.module.set({
    accountId: account.id,
    module: 'facility',
    enabled: false,
    toNewUsers: null,
    version: facility?.version as number,
  })
}

describe('the facility module', () => {
  it('closes tickets where it is off', async () => {
    const max = await person(managerRole)
    await app.api.isFmTicket.create({ ...broken, twinId: room.id })
    await switchOff()
    expect(await errorOf(max.api.isFmTicket.list({}))).toMatchObject({ code: 'NO_PERMISSION' })
  })
})
