import { randomUUID } from 'node:crypto'
import { all, holds, type Row, row } from './row.ts'
import type { World } from './world.ts'

const read = 'IsFmTicket read or IsFmTicket manage'
const create = 'IsFmTicket create or IsFmTicket manage'
const manage = 'IsFmTicket manage'
/** Who may only create sees what they have reported themselves; the tickets here are the system administrator's. */
const own = { needs: 'IsFmTicket read or IsFmTicket create or IsFmTicket manage', alone: false } as const

const words = { type: 'defect', comment: 'It drips' } as const

/** A ticket of the account, by the system administrator. */
async function ticket(world: World) {
  const { id: twinId } = await world.twin()
  const subject = world.unique('Tap')
  const made = await world.app.api.isFmTicket.create({ ...words, twinId, subject })
  const { id, version, number, reporter } = made
  return { id, version, number, twinId, subject, reporterId: reporter.userId as number }
}

const photo = (objectId: number) => ({
  object: 'ticket' as const,
  objectId,
  file: new File(['It drips'], 'notes.txt'),
})

export const tickets: Record<string, Row> = {
  'isFmTicket.list': row({
    needs: read,
    given: ticket,
    call: (api) => api.isFmTicket.list(all),
    shows: holds,
  }),
  'isFmTicket.count': row({
    needs: read,
    given: ticket,
    call: (api, { subject }) => api.isFmTicket.count({ search: `"${subject}"` }),
    shows: ({ count }) => count === 1,
  }),
  'isFmTicket.ofUser': row({
    ...own,
    given: ticket,
    call: (api, { reporterId }) => api.isFmTicket.ofUser({ userId: reporterId, ...all }),
    shows: holds,
  }),
  'isFmTicket.exportFile': row({
    needs: read,
    given: ticket,
    call: async (api, { subject }) => {
      const { body } = await api.isFmTicket.exportFile({ search: `"${subject}"` })
      return new Response(body as Blob).text()
    },
    shows: (text, { subject }) => text.includes(subject),
  }),
  'isFmTicket.statistics': row({
    needs: read,
    given: ticket,
    call: (api, { twinId }) => api.isFmTicket.statistics({ inTwinId: twinId }),
    shows: ({ reported }) => reported === 1,
  }),
  'isFmTicket.places': row({
    needs: create,
    given: (world) => world.twin(),
    call: (api) => api.isFmTicket.places(all),
    shows: holds,
  }),
  'isFmTicket.place': row({
    needs: create,
    given: (world) => world.twin(),
    call: (api, { id }) => api.isFmTicket.place({ twinId: id }),
  }),
  'isFmTicket.create': row({
    needs: create,
    given: (world) => world.twin(),
    call: (api, { id }) => api.isFmTicket.create({ ...words, twinId: id, subject: 'Tap', key: randomUUID() }),
  }),
  'isFmTicket.get': row({ ...own, given: ticket, call: (api, { id }) => api.isFmTicket.get({ id }) }),
  'isFmTicket.update': row({
    needs: manage,
    given: ticket,
    call: (api, { id, version, twinId, subject }) =>
      api.isFmTicket.update({
        id,
        version,
        twinId,
        subject,
        type: 'other',
        state: 1,
        priority: 'high',
        dueAt: null,
        assigneeId: null,
      }),
  }),
  'isFmTicket.setState': row({
    needs: manage,
    given: ticket,
    call: (api, { id }) => api.isFmTicket.setState({ id, state: 2 }),
  }),
  'isFmTicket.delete': row({
    needs: manage,
    given: ticket,
    call: (api, { id }) => api.isFmTicket.delete({ id }),
  }),
  'isFmTicket.history': row({
    ...own,
    given: ticket,
    call: (api, { id }) => api.isFmTicket.history({ id, ...all }),
  }),
  'isFmTicket.comment': row({
    ...own,
    given: ticket,
    call: (api, { id }) => api.isFmTicket.comment({ id, text: 'On my way' }),
  }),
  'isFmTicket.assignees': row({
    needs: manage,
    given: ticket,
    call: (api, { id }) => api.isFmTicket.assignees({ id, ...all }),
  }),
  'isFmTicket.join': row({
    needs: manage,
    given: async (world: World) => ({ ...(await ticket(world)), other: (await ticket(world)).number }),
    call: (api, { id, other }) => api.isFmTicket.join({ id, number: other }),
  }),
  'upload.post of a ticket': row({
    needs: manage,
    // They may upload files, but see no tickets.
    except: { stranger: '404', operator: '404' },
    given: ticket,
    call: (api, { id }) => api.upload.post(photo(id)),
  }),
  'upload.list of a ticket': row({
    needs: read,
    // They may read files of other things.
    except: { stranger: '404', operator: '404', viewer: '404' },
    given: ticket,
    call: (api, { id }) => api.upload.list({ object: 'ticket', objectId: id }),
  }),
}
