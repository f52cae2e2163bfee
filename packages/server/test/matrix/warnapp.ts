import { dot } from '../pictures.ts'
import { createState } from '../twins.ts'
import { all, holds, type Row, row } from './row.ts'
import type { World } from './world.ts'

const read = 'IsWarnapp read or IsWarnapp manage'
/** The twins must be seen, too, to set up a monitor at them. */
const manage = { needs: 'IsWarnapp manage', alone: false } as const

/** A twin of the account with a state. */
async function place(world: World) {
  const { id } = await world.twin()
  return { id, stateId: await createState(world.app, id, 'chlorine') }
}

const statesOf = (stateId: number) => [{ stateId, limits: { kind: 'number' as const, badFrom: 1 } }]

/** A monitor of the account, by the system administrator. */
async function monitor(world: World) {
  const { id, stateId } = await place(world)
  const { version } = await world.app.api.isWarnapp.save({ id, version: null, states: statesOf(stateId) })
  return { id, version, stateId }
}

async function withImage(world: World) {
  const { id } = await monitor(world)
  await world.app.api.isWarnapp.setMedia({ id, role: 'image', file: new File([dot], 'logo.png') })
  return { id }
}

export const warnapp: Record<string, Row> = {
  'isWarnapp.list': row({
    needs: read,
    given: monitor,
    call: (api) => api.isWarnapp.list(all),
    shows: holds,
  }),
  'isWarnapp.get': row({ needs: read, given: monitor, call: (api, { id }) => api.isWarnapp.get({ id }) }),
  'isWarnapp.choices': row({
    ...manage,
    given: place,
    call: (api, { id }) => api.isWarnapp.choices({ id, ...all }),
  }),
  'isWarnapp.save': row({
    ...manage,
    given: place,
    call: (api, { id, stateId }) =>
      api.isWarnapp.save({ id, version: null, title: 'Pool', states: statesOf(stateId) }),
  }),
  'isWarnapp.delete': row({
    ...manage,
    given: monitor,
    call: (api, { id }) => api.isWarnapp.delete({ id }),
  }),
  'isWarnapp.setMedia': row({
    ...manage,
    given: monitor,
    call: (api, { id }) =>
      api.isWarnapp.setMedia({ id, role: 'image', file: new File([dot], 'logo.png', { type: 'image/png' }) }),
  }),
  'isWarnapp.removeMedia': row({
    ...manage,
    given: withImage,
    call: (api, { id }) => api.isWarnapp.removeMedia({ id, role: 'image' }),
  }),
  'isWarnapp.media': row({
    needs: read,
    given: withImage,
    call: (api, { id }) => api.isWarnapp.media({ id, role: 'image' }),
  }),
}
