import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createUser, FakeClock, roleNamed, startApp, type TestApp } from '../../../test/kit.ts'
import { createBrowser, startPushService } from '../../../test/pushService.ts'
import type { TestReceiver } from '../../../test/receiver.ts'
import { startSmtp, type TestSmtp } from '../../../test/smtp.ts'
import { createTwin } from '../../../test/twins.ts'
import { toldPerHourMax } from './tickets.ts'

const clock = new FakeClock('2026-06-15T12:30:00.000Z')
let app: TestApp
let smtp: TestSmtp
let service: TestReceiver
let account: Awaited<ReturnType<typeof createAccount>>
let room: { id: number }
let serial = 0

beforeAll(async () => {
  smtp = await startSmtp()
  service = await startPushService()
  app = await startApp({ clock, config: { smtpUrl: smtp.url, allowedNetworks: ['127.0.0.1'] } })
  return async () => {
    await app[Symbol.asyncDispose]()
    await smtp[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  }
})
beforeEach(async () => {
  clock.set(new Date('2026-06-15T12:30:00.000Z'))
  account = await createAccount(app)
  room = await createTwin(app, account, { title: 'Room 101' })
})

async function person(role: string) {
  const roleId = await roleNamed(app, role)
  const user = await createUser(app, account, [{ roleId }], { username: `max${++serial}` })
  const address = `${user.username}@example.org`
  const mails = () => smtp.received.filter(({ to }) => to?.some((each) => each.address === address))
  /** What the mails say of a ticket, without the words around it, by text: several are sent side by side. */
  const told = () =>
    mails()
      .map(({ text }) => text?.split('\n\n')[1] ?? '')
      .toSorted()
  return { ...user, mails, told }
}
const cold = { type: 'heatingFailure', subject: 'The heater stays cold' } as const
const assign = (
  { api }: { api: TestApp['api'] },
  ticket: Awaited<ReturnType<TestApp['api']['isFmTicket']['get']>>,
  assigneeId: number | null,
) => api.isFmTicket.update({ ...ticket, twinId: ticket.twin.id, assigneeId })

describe('news of a ticket', () => {
  it('reach its reporter and its assignee, but not those who have made them', async () => {
    const [ada, max, eve] = [
      await person('Ticket reporter'),
      await person('Facility manager'),
      await person('Facility manager'),
    ]
    const ticket = await ada.api.isFmTicket.create({ ...cold, twinId: room.id })
    await assign(eve, ticket, max.id)
    await app.drain()
    expect(max.mails()).toHaveLength(1)
    expect(max.mails()[0]?.subject).toBe('#1 The heater stays cold')
    expect(max.mails()[0]?.text).toContain('Room 101')
    expect(max.mails()[0]?.text).toContain(`/#/fm-ticketing-mgmt?ticket=${ticket.id}`)
    await ada.api.isFmTicket.comment({ id: ticket.id, text: 'Still **cold** {{link}}' })
    await max.api.isFmTicket.setState({ id: ticket.id, state: 1 })
    await max.api.isFmTicket.setState({ id: ticket.id, state: 2 })
    await app.drain()
    expect(max.told()).toEqual([
      'Neuer Kommentar:\nStill **cold** {{link}}',
      'Sie sind für dieses Ticket zuständig.',
    ])
    expect(ada.told()).toEqual(['Das Ticket ist erledigt.', 'Das Ticket ist in Arbeit.'])
    expect(ada.mails()[0]?.text).toContain(`/#/fm-add-ticket?ticket=${ticket.id}`)
    expect(eve.mails()).toEqual([])
  })

  it('reach those whose report was joined with it, by their own ticket', async () => {
    const [ada, ben] = [await person('Ticket reporter'), await person('Ticket reporter')]
    const first = await ada.api.isFmTicket.create({ ...cold, twinId: room.id })
    const second = await ben.api.isFmTicket.create({ ...cold, twinId: room.id, again: true })
    await app.api.isFmTicket.join({ id: second.id, number: first.number })
    await app.api.isFmTicket.comment({ id: first.id, text: 'Ordered a part' })
    await app.api.isFmTicket.setState({ id: first.id, state: 2 })
    await app.drain()
    expect(ben.told()).toEqual([
      'Das Ticket ist erledigt.',
      'Das Ticket wurde mit Ticket #1 zusammengelegt, das dasselbe meldet.',
    ])
    expect(ben.mails()[1]?.subject).toBe('#2 The heater stays cold')
    expect(ada.told()).toEqual(['Das Ticket ist erledigt.', 'Neuer Kommentar:\nOrdered a part'])
  })

  it('also reach their browsers', async () => {
    const ada = await person('Ticket reporter')
    const browser = createBrowser(service, 'Firefox')
    await ada.api.push.subscribe(browser.subscription)
    const ticket = await ada.api.isFmTicket.create({ ...cold, twinId: room.id })
    await app.api.isFmTicket.setState({ id: ticket.id, state: 1 })
    await app.drain()
    expect(browser.received()).toHaveLength(1)
  })

  it('do not reach those who have lost the right to see it', async () => {
    const [ada, max] = [await person('Ticket reporter'), await person('Facility manager')]
    const ticket = await ada.api.isFmTicket.create({ ...cold, twinId: room.id })
    await assign(app, ticket, max.id)
    await app.drain()
    await app.ctx.db.deleteFrom('user_access').where('user_id', '=', max.id).execute()
    app.app.people.forgetRights()
    await ada.api.isFmTicket.comment({ id: ticket.id, text: 'Hello?' })
    await app.drain()
    expect(max.told()).toEqual(['Sie sind für dieses Ticket zuständig.'])
  })

  it('are not sent on and on when somebody writes without end', async () => {
    const [ada, max] = [await person('Ticket reporter'), await person('Facility manager')]
    const ticket = await ada.api.isFmTicket.create({ ...cold, twinId: room.id })
    await assign(app, ticket, max.id)
    for (let index = 0; index < toldPerHourMax + 5; index++)
      await ada.api.isFmTicket.comment({ id: ticket.id, text: `${index}` })
    await app.drain()
    expect(max.mails().length).toBeLessThanOrEqual(toldPerHourMax + 1)
    expect((await max.api.isFmTicket.history({ id: ticket.id, limit: 100 })).total).toBe(toldPerHourMax + 7)
  })
})
