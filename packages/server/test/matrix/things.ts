import { ORPCError } from '@orpc/client'
import { strToU8, zipSync } from 'fflate'
import { jsonb } from '../../src/platform/db/index.ts'
import { MonthPartitions } from '../../src/platform/db/months.ts'
import type { Api } from '../kit.ts'
import { writeValues } from '../twins.ts'
import type { Answers } from './answers.ts'
import { all, holds, type Row, row } from './row.ts'
import { driverScript, ruleOn, type World, widgetDefinition } from './world.ts'

const range = { startDate: '2026-01-01T00:00:00.000Z', endDate: '2026-01-02T00:00:00.000Z' }
const boardRange = { dateRangeStart: range.startDate, dateRangeEnd: range.endDate }
const settings = { preset: 'standard' } as const

const twinAndState = 'DigitalTwin read or DigitalTwinStates read'
const anyValue = 'DigitalTwin read or Dashboards read or DigitalTwinStates read'
const deviceReaders = 'VirtualDevice read or VirtualDevice manage'
const driverReaders = 'DeviceDriver read or DeviceDriver manage or VirtualDevice read'
const exporters = 'VirtualDevice read or VirtualDevice manage or DigitalTwin read or all manage'
const templateReaders = 'DeviceTemplate read or DeviceTemplate manage'
const jobViewers =
  'DigitalTwin read or IotHub read or VirtualDevice read or VirtualDevice manage or DeviceTemplate manage or all manage'

/** Bundled drivers belong to the root account: managers of another account have no rights on them. */
const ofTheTop: { except: Partial<Answers>; alone: false } = {
  except: { administrator: '403', sibling: '403', parent: '403', key: '403', impersonated: '403' },
  alone: false,
}

/** Saved filters belong to the caller: no user is a stranger to them, and programs have none. */
const ownView = { needs: 'VirtualDevice read or VirtualDevice manage', as: 'a person' } as const

const ownStateView = { needs: 'DigitalTwin read', as: 'a person' } as const

const ownTwinView = { needs: 'DigitalTwin read or DigitalTwin list', as: 'a person' } as const

const exportRange = { start: range.startDate, end: range.endDate }
/** Devices that nobody sees: whoever gets as far as this may export. */
const noDevices = { of: 'virtualDevices' as const, ids: [2_147_483_647] }
const exportRequest = { title: 'Nothing', selection: noDevices, range: exportRange }

/** A saved export of the account, by the system administrator. */
const savedExport = (world: World) =>
  world.app.api.exporting.createDefinition({
    title: world.unique('Export'),
    accountId: world.own.id,
    request: exportRequest,
  })

const scheduleOf = (world: World) => ({
  title: world.unique('Schedule'),
  accountId: world.own.id,
  content: { kind: 'values' as const, selection: noDevices },
  range: { which: 'last' as const, unit: 'day' as const },
  frequency: { every: 'day' as const, time: '06:00' },
  targets: [{ kind: 'mail' as const, recipients: ['export@example.org'] }],
})

/** An export schedule of the account, by the system administrator. */
const exportSchedule = (world: World) => world.app.api.exportSchedules.create(scheduleOf(world))

/** A state of a virtual device instead of one of a twin. */
function pastRuleOn(stateId: number) {
  const { title, metrics, conditions } = ruleOn(stateId)
  return { title, metrics, conditions }
}

/** A value of a state. */
async function value(world: World, { id: stateId }: { id: number }) {
  const time = new Date()
  await writeValues(world.app, [{ stateId, value: 1, time }])
  return { stateId, at: time.toISOString() }
}

/** A packet of a device. */
async function packet(world: World) {
  const { id: deviceId } = await world.device()
  await world.app.app.series.prepareMonths('packets', [new Date()])
  const { id: packetId, received_at: receivedAt } = await world.app.ctx.db
    .insertInto('packets')
    .values({
      received_at: new Date(),
      time: new Date(),
      account_id: world.own.id,
      connector_id: 1,
      device_id: deviceId,
      payload: '00',
      encoding: 'hex',
      meta: jsonb({}),
      duration_us: 1,
    })
    .returning(['id', 'received_at'])
    .executeTakeFirstOrThrow()
  return { deviceId, packetId, receivedAt: receivedAt.toISOString() }
}

/** A rule that has raised an alarm and sent a mail. */
async function execution(world: World) {
  const { id: ruleId, twinId } = await world.rule()
  const { db } = world.app.ctx
  const at = new Date()
  await new MonthPartitions(db).prepare('rule_executions', [at])
  const { id } = await db
    .insertInto('rule_executions')
    .values({
      rule_id: ruleId,
      twin_id: twinId,
      event_id: ruleId,
      at,
      result: 'fired',
      inputs: jsonb({}),
      branch: jsonb({ op: 'script', met: true }),
      duration_us: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: mailId } = await db
    .insertInto('mails')
    .values({
      account_id: world.own.id,
      recipients: ['nobody@example.org'],
      subject: 'Warm',
      body: '',
      status: 'sent',
      origin: jsonb({ ruleId, twinId, eventId: ruleId }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: alarmId } = await db
    .insertInto('alarms')
    .values({
      account_id: world.own.id,
      twin_id: twinId,
      rule_id: ruleId,
      severity: 'warning',
      message: 'Warm',
      raised_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, mailId, alarmId }
}

/** A run on the past, by the system administrator. */
async function pastRun(world: World) {
  const { id, twinId } = await world.state()
  await world.app.drain()
  const rule = pastRuleOn(id)
  const { id: jobId } = await world.app.api.ddr.runOnPast({ dtwinId: twinId, days: 1, rule })
  return { jobId, twinId }
}

async function deviceState(world: World) {
  const { id } = await world.device()
  return { id: await world.stateOf(id), twinId: id }
}

function reportOf(title: string, groupId: number) {
  return {
    title,
    groupId,
    type: 'device' as const,
    conditions: ['always' as const],
    subject: 'Report',
    tables: ['summary' as const],
    recipients: ['report@example.org'],
    active: false,
  }
}

function textFile(object: 'virtualDevice' | 'digitalTwin' | 'deviceDriver' | 'smartGroup', objectId: number) {
  return { file: new File(['text'], 'notes.txt'), object, objectId }
}

const valueFile = () => new File(['time,value\n2026-01-01,5\n'], 'values.csv')

/**
 * Uploads a value of the state `temperature` of a twin or device of an account. Who may not change it gets a fault of the row,
 * which counts here like the error that it stands for.
 */
async function uploadAcross(api: Api, accountId: number, twinId: number) {
  const file = new File([`time,twin,temperature\n2026-01-01,${twinId},5\n`], 'values.csv')
  const { values, faults } = await api.stateValue.uploadAcross({ file, accountId, dryRun: false })
  if (values === 1) return
  if (faults[0]?.code === 'TWIN_FORBIDDEN') throw new ORPCError('NO_PERMISSION', { status: 403 })
  throw new ORPCError('DTWIN_NOT_FOUND', { status: 404 })
}

const newState = { key: 'level', title: 'Level', source: 'none' } as const

/** Connectors, drivers, devices, twins, states, rules, dashboards, jobs (specification 2 and 3). */
export const things: Record<string, Row> = {
  'bridge.types': row({ needs: 'signed in', call: (api) => api.bridge.types() }),
  'bridge.list': row({
    // The screens require all manage; device pickers show connector names, too.
    needs: 'all manage or VirtualDevice read or VirtualDevice manage',
    given: (world) => world.connector(),
    call: (api) => api.bridge.list(all),
    shows: holds,
  }),
  'bridge.get': row({
    needs: 'all manage',
    given: (world) => world.connector(),
    call: (api, { id }) => api.bridge.get({ id }),
  }),
  'bridge.create': row({
    needs: 'all manage',
    call: (api, _, __, world) =>
      api.bridge.create({
        accountId: world.own.id,
        kind: 'webhook-in',
        name: world.unique('Made'),
        settings,
      }),
  }),
  'bridge.update': row({
    needs: 'all manage',
    given: (world) => world.connector(),
    call: (api, { id }, _, world) =>
      api.bridge.update({ id, version: 1, name: world.unique('Changed'), settings }),
  }),
  'bridge.delete': row({
    needs: 'all manage',
    given: (world) => world.connector(),
    call: (api, { id }) => api.bridge.delete({ id }),
  }),
  'bridge.makeKey': row({
    needs: 'all manage',
    given: (world) => world.connector(),
    call: (api, { id }) => api.bridge.makeKey({ id }),
  }),
  'bridge.endKey': row({
    needs: 'all manage',
    given: (world) => world.connector(),
    // There is no such key: only callers who may end keys get that error.
    call: (api, { id }) => api.bridge.endKey({ id, keyId: 1_000_000_000 }),
    reaches: 'CONNECTOR_KEY_NOT_FOUND',
  }),
  'bridge.validate': row({
    needs: 'all manage',
    call: (api, _, __, { own }) => api.bridge.validate({ accountId: own.id, kind: 'webhook-in', settings }),
  }),
  'bridge.stateReset': row({
    needs: 'all manage',
    given: (world) => world.connector(),
    call: (api, { id }) => api.bridge.stateReset({ id }),
  }),
  'bridge.traffic': row({
    needs: 'all manage',
    given: (world) => world.connector(),
    call: (api, { id }) => api.bridge.traffic({ id }),
  }),
  'bridge.logs': row({
    needs: 'all manage',
    given: (world) => world.connector(),
    call: (api, { id }) => api.bridge.logs({ id }),
  }),
  'letters.list': row({
    needs: 'all manage',
    given: (world) => world.deadLetter(),
    call: (api, { connectorId }) => api.letters.list({ id: connectorId }),
  }),
  'letters.get': row({
    needs: 'all manage',
    given: (world) => world.deadLetter(),
    call: (api, { id, connectorId }) => api.letters.get({ id: connectorId, letterId: id }),
  }),
  'letters.replay': row({
    needs: 'all manage',
    given: (world) => world.deadLetter(),
    call: (api, { id, connectorId }) => api.letters.replay({ id: connectorId, selection: { ids: [id] } }),
  }),
  'letters.delete': row({
    needs: 'all manage',
    given: (world) => world.deadLetter(),
    call: (api, { id, connectorId }) => api.letters.delete({ id: connectorId, selection: { ids: [id] } }),
  }),

  'devicedrivers.list': row({
    needs: driverReaders,
    given: (world) => world.driver(),
    call: (api) => api.devicedrivers.list(all),
    shows: holds,
  }),
  'devicedrivers.get': row({
    needs: driverReaders,
    given: (world) => world.driver(),
    call: (api, { id }) => api.devicedrivers.get({ id }),
  }),
  'devicedrivers.create': row({
    needs: 'DeviceDriver manage',
    call: (api, _, __, world) =>
      api.devicedrivers.create({
        accountId: world.own.id,
        title: world.unique('Made'),
        script: driverScript,
      }),
  }),
  'devicedrivers.update': row({
    needs: 'DeviceDriver manage',
    given: (world) => world.driver(),
    call: (api, { id }, _, world) =>
      api.devicedrivers.update({ id, version: 1, title: world.unique('Changed'), script: driverScript }),
  }),
  'devicedrivers.publish': row({
    needs: 'DeviceDriver manage',
    given: (world) => world.driver(),
    call: (api, { id }) => api.devicedrivers.publish({ id, number: 1 }),
  }),
  'devicedrivers.acceptances': row({
    needs: `${driverReaders} or VirtualDevice manage`,
    // A driver of the parent account is visible to others as well, but not which accounts have accepted it.
    except: { stranger: '404' },
    given: (world) => world.acceptedDriver(),
    call: (api, { id }) => api.devicedrivers.acceptances({ id }),
    shows: ({ items }) => items.length > 0,
  }),
  'devicedrivers.accept': row({
    needs: 'DeviceDriver manage or VirtualDevice manage',
    given: (world) => world.acceptedDriver(),
    call: (api, { id }, _, { own }) => api.devicedrivers.accept({ id, accountId: own.id, number: 1 }),
  }),
  'devicedrivers.delete': row({
    needs: 'DeviceDriver manage',
    given: (world) => world.driver(),
    call: (api, { id }) => api.devicedrivers.delete({ id }),
  }),
  'devicedrivers.library': row({
    needs: driverReaders,
    // Bundled content is visible to all users.
    except: { stranger: 'ok', sibling: 'ok' },
    call: (api) => api.devicedrivers.library({}),
  }),
  'devicedrivers.libraryDriver': row({
    needs: driverReaders,
    except: { stranger: 'ok', sibling: 'ok' },
    call: (api) => api.devicedrivers.libraryDriver({ key: 'elsys-ers' }),
  }),
  'devicedrivers.install': row({
    needs: 'DeviceDriver manage',
    ...ofTheTop,
    call: (api) => api.devicedrivers.install({ key: 'elsys-ers' }),
  }),
  'devicedrivers.upgrade': row({
    needs: 'DeviceDriver manage',
    ...ofTheTop,
    call: (api) => api.devicedrivers.upgrade({ key: 'elsys-ers', version: 1 }),
  }),
  'devicedrivers.import': row({
    needs: 'DeviceDriver manage',
    given: async () => ({ file: new File([zipSync({ 'a/b.yaml': strToU8('firmwareVersions:') })], 'a.zip') }),
    call: (api, { file }, _, { own }) => api.devicedrivers.import({ file, accountId: own.id }),
  }),
  'devicedrivers.healthSync': row({
    needs: driverReaders,
    given: (world) => world.driver(),
    call: (api, { id }) => api.devicedrivers.healthSync({ id }),
  }),
  'devicedrivers.syncHealth': row({
    needs: 'DeviceDriver manage',
    given: (world) => world.driver(),
    call: (api, { id }) => api.devicedrivers.syncHealth({ id, takeOver: true }),
  }),
  'dispatcher.parse': row({
    needs: driverReaders,
    given: (world) => world.driver(),
    call: (api, { id }) => api.dispatcher.parse({ driverId: id, packets: [{ payload: '00' }] }),
  }),
  'dispatcher.parseOfType': row({
    needs: driverReaders,
    given: (world) => world.driver(),
    call: (api, { id }) => api.dispatcher.parseOfType({ id, packets: [{ payload: '00' }] }),
  }),
  'dispatcher.recentPackets': row({
    needs: driverReaders,
    given: (world) => world.driver(),
    call: (api, { id }) => api.dispatcher.recentPackets({ id }),
  }),

  'virtualdevice.list': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api) => api.virtualdevice.list(all),
    shows: holds,
  }),
  'deviceTemplate.list': row({
    needs: templateReaders,
    given: (world) => world.template(),
    call: (api) => api.deviceTemplate.list(all),
    shows: holds,
  }),
  'deviceTemplate.get': row({
    needs: templateReaders,
    given: (world) => world.template(),
    call: (api, { id }) => api.deviceTemplate.get({ id }),
  }),
  'deviceTemplate.draft': row({
    needs: templateReaders,
    given: (world) => world.template(),
    call: (api, { id }) => api.deviceTemplate.draft({ id }),
  }),
  'deviceTemplate.productive': row({
    needs: templateReaders,
    given: (world) => world.template(),
    call: (api, { id }) => api.deviceTemplate.productive({ id }),
  }),
  'deviceTemplate.changes': row({
    needs: templateReaders,
    given: (world) => world.template(),
    call: (api, { id }) => api.deviceTemplate.changes({ id }),
  }),
  'deviceTemplate.create': row({
    needs: 'DeviceTemplate manage',
    given: async (world) => ({ driver: await world.driver(), connector: await world.connector() }),
    call: (api, { driver, connector }, _, world) =>
      api.deviceTemplate.create({
        accountId: world.own.id,
        title: world.unique('Made'),
        content: { driverId: driver.id, connectorId: connector.id },
      }),
  }),
  'deviceTemplate.update': row({
    needs: 'DeviceTemplate manage',
    given: (world) => world.template(),
    call: (api, { id, ...content }, _, world) =>
      api.deviceTemplate.update({ id, version: 1, title: world.unique('Changed'), content }),
  }),
  'deviceTemplate.publishAndSync': row({
    needs: 'DeviceTemplate manage',
    given: (world) => world.template(),
    call: (api, { id }) => api.deviceTemplate.publishAndSync({ id, version: 1 }),
  }),
  'deviceTemplate.fetchLinkedDevices': row({
    needs: templateReaders,
    given: (world) => world.template(),
    call: (api, { id }) => api.deviceTemplate.fetchLinkedDevices({ id }),
  }),
  'deviceTemplate.fetchSmartGroupRelated': row({
    needs: templateReaders,
    // The group must be visible, too.
    alone: false,
    given: (world) => world.group(),
    call: (api, { id }) => api.deviceTemplate.fetchSmartGroupRelated({ view_id: id }),
  }),
  'deviceTemplate.delete': row({
    needs: 'DeviceTemplate manage',
    given: (world) => world.template(),
    call: (api, { id }) => api.deviceTemplate.delete({ id }),
  }),

  'view.list': row({
    ...ownView,
    given: (world, { userId }) => world.view(userId),
    call: (api) => api.view.list(all),
    shows: holds,
    fresh: true,
  }),
  'view.get': row({
    ...ownView,
    given: (world, { userId }) => world.view(userId),
    call: (api, { id }) => api.view.get({ id }),
    fresh: true,
  }),
  'view.create': row({
    ...ownView,
    call: (api, _, __, world) => api.view.create({ title: world.unique('View'), filter: { disabled: true } }),
  }),
  'view.update': row({
    ...ownView,
    given: (world, { userId }) => world.view(userId),
    call: (api, { id }, _, world) =>
      api.view.update({ id, version: 1, title: world.unique('View'), filter: { health: [2] } }),
  }),
  'view.delete': row({
    ...ownView,
    given: (world, { userId }) => world.view(userId),
    call: (api, { id }) => api.view.delete({ id }),
  }),
  'smartGroup.list': row({
    needs: deviceReaders,
    given: (world) => world.group(),
    call: (api) => api.smartGroup.list(all),
    shows: holds,
  }),
  'smartGroup.get': row({
    needs: deviceReaders,
    given: (world) => world.group(),
    call: (api, { id }) => api.smartGroup.get({ id }),
  }),
  'smartGroup.create': row({
    needs: 'VirtualDevice manage',
    call: (api, _, __, world) =>
      api.smartGroup.create({ title: world.unique('Group'), accountId: world.own.id }),
  }),
  'smartGroup.update': row({
    needs: 'VirtualDevice manage',
    given: (world) => world.group(),
    call: (api, { id }, _, world) =>
      api.smartGroup.update({ id, version: 1, title: world.unique('Group'), filter: { health: [2] } }),
  }),
  'smartGroup.delete': row({
    needs: 'VirtualDevice manage',
    given: (world) => world.group(),
    call: (api, { id }) => api.smartGroup.delete({ id }),
  }),
  'smartGroup.execute': row({
    needs: deviceReaders,
    given: (world) => world.group(),
    call: (api, { id }) => api.smartGroup.execute({ id }),
  }),
  'smartGroup.packetStatistics': row({
    needs: deviceReaders,
    given: (world) => world.group(),
    call: (api, { id }) => api.smartGroup.packetStatistics({ id }),
  }),
  'smartGroup.deviceStatistics': row({
    needs: deviceReaders,
    given: (world) => world.group(),
    call: (api, { id }) => api.smartGroup.deviceStatistics({ id }),
  }),
  'smartGroup.lowDevices': row({
    needs: deviceReaders,
    given: (world) => world.group(),
    call: (api, { id }) => api.smartGroup.lowDevices({ id }),
  }),
  'upload.post of a smart group': row({
    needs: 'VirtualDevice manage',
    // Users who may write devices may upload files, but not change the group.
    alone: false,
    // They may upload files, but do not see this group.
    except: { stranger: '404' },
    given: (world) => world.group(),
    call: (api, { id }) => api.upload.post(textFile('smartGroup', id)),
  }),
  'virtualdevice.tagsZones': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.tagged('virtualDevice'),
    call: (api) => api.virtualdevice.tagsZones(),
    shows: ({ tags }, { tag }) => tags.includes(tag),
  }),
  'virtualdevice.exportFile': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: async (api, { id }) => {
      const { body } = await api.virtualdevice.exportFile({ columns: ['id'] })
      return body instanceof Blob ? (await body.text()).split('\r\n').includes(String(id)) : false
    },
    shows: (found) => found,
  }),
  'virtualdevice.groups': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.grouped(),
    call: (api) => api.virtualdevice.groups({}),
    shows: ({ items }, { group }) => items.some(({ name }) => name === group),
  }),
  'virtualdevice.accountStatistics': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    call: (api, _, __, { own }) => api.virtualdevice.accountStatistics({ id: own.id }),
  }),
  'virtualdevice.geoClusterCheck': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.placedDevice(),
    call: (api, { id }) => api.virtualdevice.geoClusterCheck({ ids: [id] }),
    shows: ({ placed }) => placed === 1,
  }),
  'virtualdevice.geoMetaInfos': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.placedDevice(),
    call: (api, { id }) => api.virtualdevice.geoMetaInfos({ ids: [id] }),
    shows: ({ bounds }) => bounds !== null,
  }),
  'virtualdevice.geoClusters': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.placedDevice(),
    call: (api, { id }) => api.virtualdevice.geoClusters({ ids: [id], zoom: 5 }),
    shows: ({ items }, { id }) => items.some(({ device }) => device?.id === id),
  }),
  'virtualdevice.geoClusterBreakOpen': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.placedDevice(),
    call: (api, { id, cluster }) => api.virtualdevice.geoClusterBreakOpen({ ids: [id], id: cluster }),
    shows: holds,
  }),
  'virtualdevice.fetchByBridgeType': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api) => api.virtualdevice.fetchByBridgeType({ ...all, type: 'webhook-in' }),
    shows: holds,
  }),
  'virtualdevice.get': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.virtualdevice.get({ id }),
  }),
  'virtualdevice.create': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.connector(),
    call: (api, { id }, _, world) =>
      api.virtualdevice.create({ connectorId: id, title: 'New', externalId: world.unique('new') }),
  }),
  'virtualdevice.update': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id, externalId }) =>
      api.virtualdevice.update({ id, version: 1, title: 'Changed', externalId }),
  }),
  'virtualdevice.update from its template': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.linked(),
    call: (api, { id, externalId }) =>
      api.virtualdevice.update({ id, version: 1, title: 'Changed', externalId, templateId: null }),
  }),
  'virtualdevice.driverChange': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.virtualdevice.driverChange({ id }),
  }),
  'deviceTemplate.previewLink': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    // The template must be visible, too.
    alone: false,
    given: (world) => world.linkable(),
    call: (api, { id, templateId }) => api.deviceTemplate.previewLink({ id, templateId }),
  }),
  'deviceTemplate.link': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    // The template must be visible, too.
    alone: false,
    given: (world) => world.linkable(),
    call: (api, { id, templateId }) => api.deviceTemplate.link({ id, version: 1, templateId }),
  }),
  'deviceTemplate.unlink': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.linked(),
    call: (api, { id }) => api.deviceTemplate.unlink({ id, version: 1 }),
  }),
  'virtualdevice.setDisabled': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.virtualdevice.setDisabled({ id, flag: true }),
  }),
  'virtualdevice.delete': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.virtualdevice.delete({ id }),
  }),
  'virtualdevice.delete at its network server': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.virtualdevice.delete({ id, delete_remotely: true }),
    reaches: 'REMOTE_NOT_SUPPORTED',
  }),
  'remote.synchronize': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.remote.synchronize({ id }),
    reaches: 'REMOTE_NOT_SUPPORTED',
  }),
  'remote.devices': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.connector(),
    call: (api, { id }) => api.remote.devices({ id }),
    reaches: 'REMOTE_NOT_SUPPORTED',
  }),
  'remote.import': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.connector(),
    call: (api, { id }) => api.remote.import({ title: 'Import', connectorId: id, selection: { search: '' } }),
    reaches: 'REMOTE_NOT_SUPPORTED',
  }),
  'virtualdevice.dependencies': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.virtualdevice.dependencies({ id }),
  }),
  'virtualdevice.packets': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.virtualdevice.packets({ id }),
  }),
  'bridge.reception': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.bridge.reception({ id }),
  }),
  'virtualdevice.dataRoutes': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.virtualdevice.dataRoutes({ id }),
  }),
  'virtualdevice.geoHistory': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.virtualdevice.geoHistory({ id }),
  }),
  'health.get': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.health.get({ id }),
  }),
  'health.sources': row({
    needs: 'DigitalTwin read',
    given: (world) => world.twin(),
    call: (api, { id }) => api.health.sources({ id }),
  }),
  'health.log': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.health.log({ id }),
  }),
  'downlink.list': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.downlink.list({ id }),
  }),
  'downlink.offer': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.downlink.offer({ id }),
  }),
  'downlink.send': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.downlink.send({ id, content: { port: 1, payload: '00' } }),
    // Its connector does not send downlinks.
    reaches: 'DOWNLINK_NOT_POSSIBLE',
  }),
  'downlink.cancel': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.downlink.cancel({ id, downlinkId: 1 }),
    reaches: 'DOWNLINK_NOT_FOUND',
  }),
  'health.updateConfig': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.health.updateConfig({ id, version: 1, x: 'driver' }),
  }),
  'health.sync': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.health.sync({ id }),
  }),
  'health.ignoreEntry': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.health.ignoreEntry({ id, identifier: 'none', flag: true }),
    // The device has no entries.
    reaches: 'HEALTH_ENTRY_NOT_FOUND',
  }),
  'virtualdevice.statistics': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api) => api.virtualdevice.statistics({}),
    shows: ({ byConnector }, { connectorId }) => byConnector.some((one) => one.connectorId === connectorId),
  }),

  'upload.post': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.upload.post(textFile('virtualDevice', id)),
  }),
  'upload.post of a twin': row({
    needs: 'DigitalTwin write',
    // Users who manage twins may also change them; the specification has no such role.
    alone: false,
    given: (world) => world.twin(),
    call: (api, { id }) => api.upload.post(textFile('digitalTwin', id)),
  }),
  'upload.post of a driver': row({
    needs: 'DeviceDriver manage',
    // They may upload files, but do not see this driver.
    except: { stranger: '404' },
    given: (world) => world.driver(),
    call: (api, { id }) => api.upload.post(textFile('deviceDriver', id)),
  }),
  'upload.postV2': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.upload.postV2(textFile('virtualDevice', id)),
  }),
  'upload.list': row({
    needs: 'VirtualDevice read or VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.upload.list({ object: 'virtualDevice', objectId: id }),
  }),
  'upload.list of a driver': row({
    needs: `${driverReaders} or VirtualDevice write or VirtualDevice manage`,
    given: (world) => world.driver(),
    call: (api, { id }) => api.upload.list({ object: 'deviceDriver', objectId: id }),
  }),
  'upload.file': row({
    needs: 'VirtualDevice read or VirtualDevice write or VirtualDevice manage',
    given: (world) => world.file(),
    call: (api, { id }) => api.upload.file({ id }),
  }),
  'upload.delete': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.file(),
    call: (api, { id }) => api.upload.delete({ id }),
  }),

  'floor.list': row({
    needs: 'DigitalTwin read or DigitalTwin write',
    given: (world) => world.floor(),
    call: (api, { id }) => api.floor.list({ id }),
  }),
  'floor.place': row({
    needs: 'DigitalTwin write',
    given: (world) => world.floor(),
    call: (api, { id, fileId }) =>
      api.floor.place({
        id,
        fileId,
        northEast: { latitude: 49.001, longitude: 12.001 },
        southWest: { latitude: 49, longitude: 12 },
      }),
  }),
  'floor.remove': row({
    needs: 'DigitalTwin write',
    given: (world) => world.floor(),
    call: (api, { id }) => api.floor.remove({ id }),
  }),

  'digitaltwin.list': row({
    needs: 'DigitalTwin read or DigitalTwin list',
    given: (world) => world.twin(),
    call: (api) => api.digitaltwin.list(all),
    shows: holds,
  }),
  'digitaltwin.children': row({
    needs: 'DigitalTwin read or DigitalTwin list',
    given: (world) => world.twin(),
    call: (api) => api.digitaltwin.children({ id: 0, ...all }),
    shows: holds,
  }),
  'digitaltwin.worstLevels': row({
    needs: 'DigitalTwin read or DigitalTwin list',
    given: (world) => world.twin(),
    call: (api, { id }) => api.digitaltwin.worstLevels({ ids: [id] }),
    shows: holds,
  }),
  'digitaltwin.geoMetaInfos': row({
    needs: 'DigitalTwin read or DigitalTwin list',
    given: (world) => world.placedTwin(),
    call: (api, { id }) => api.digitaltwin.geoMetaInfos({ twinId: id }),
    shows: ({ bounds }) => bounds !== null,
  }),
  'digitaltwin.geoClusters': row({
    needs: 'DigitalTwin read or DigitalTwin list',
    given: (world) => world.placedTwin(),
    call: (api, { id }) => api.digitaltwin.geoClusters({ twinId: id, zoom: 5 }),
    shows: ({ items }, { id }) => items.some(({ twin }) => twin?.id === id),
  }),
  'digitaltwin.geoClusterBreakOpen': row({
    needs: 'DigitalTwin read or DigitalTwin list',
    given: (world) => world.placedTwin(),
    call: (api, { id, cluster }) => api.digitaltwin.geoClusterBreakOpen({ twinId: id, id: cluster }),
    shows: holds,
  }),
  'digitaltwin.mapSettings': row({
    needs: 'DigitalTwin read or DigitalTwin list',
    given: (world) => world.twin(),
    call: (api, { id }) => api.digitaltwin.mapSettings({ id }),
  }),
  'digitaltwin.setMapSettings': row({
    needs: 'DigitalTwin write',
    given: (world) => world.twin(),
    call: (api, { id }) =>
      api.digitaltwin.setMapSettings({ id, version: 0, settings: { states: ['temperature'] } }),
  }),
  'digitaltwin.deleteMapSettings': row({
    needs: 'DigitalTwin write',
    given: (world) => world.mappedTwin(),
    call: (api, { id }) => api.digitaltwin.deleteMapSettings({ id }),
  }),
  'digitaltwin.mapStates': row({
    needs: 'DigitalTwin read',
    given: (world) => world.state(),
    call: (api, { twinId }) => api.digitaltwin.mapStates({ twinId }),
    shows: ({ items }) => items.some(({ key }) => key === 'temperature'),
  }),
  'digitaltwin.partialTree': row({
    needs: 'DigitalTwin read or DigitalTwin list',
    given: (world) => world.twin(),
    call: (api, { id }) => api.digitaltwin.partialTree({ twinId: id }),
    shows: holds,
  }),
  'digitaltwin.tagsZones': row({
    needs: 'DigitalTwin read or DigitalTwin list',
    given: (world) => world.tagged('digitalTwin'),
    call: (api) => api.digitaltwin.tagsZones(),
    shows: ({ tags }, { tag }) => tags.includes(tag),
  }),
  'digitaltwin.get': row({
    needs: 'DigitalTwin read',
    given: (world) => world.twin(),
    call: (api, { id }) => api.digitaltwin.get({ id }),
  }),
  'digitaltwin.create': row({
    needs: 'DigitalTwin write',
    given: (world) => world.twin(),
    call: (api, { id }) => api.digitaltwin.create({ title: 'New', parentId: id }),
  }),
  'digitaltwin.update': row({
    needs: 'DigitalTwin write',
    given: (world) => world.twin(),
    call: (api, { id }) => api.digitaltwin.update({ id, version: 1, title: 'Changed', parentId: null }),
  }),
  'digitaltwin.delete': row({
    needs: 'DigitalTwin write',
    given: (world) => world.twin(),
    call: (api, { id }) => api.digitaltwin.delete({ id }),
  }),
  'digitaltwin.movePreview': row({
    needs: 'DigitalTwin write',
    given: (world) => world.twin(),
    call: (api, { id }) => api.digitaltwin.movePreview({ id }),
  }),
  'digitaltwin.setDisabled': row({
    needs: 'DigitalTwin write',
    given: (world) => world.twin(),
    call: (api, { id }) => api.digitaltwin.setDisabled({ id, flag: true }),
  }),
  'digitaltwin.createScope': row({
    // And DigitalTwin write.
    needs: 'UserManagement manage',
    alone: false,
    given: (world) => world.twin(),
    call: (api, { id }) => api.digitaltwin.createScope({ id }),
  }),
  'digitaltwin.deleteScope': row({
    needs: 'UserManagement manage',
    alone: false,
    given: (world) => world.twin(),
    // It has none: only callers who may remove it get that error.
    call: (api, { id }) => api.digitaltwin.deleteScope({ id }),
    reaches: 'SCOPE_NOT_FOUND',
  }),
  'digitaltwin.dependencies': row({
    needs: 'DigitalTwin read',
    given: (world) => world.twin(),
    call: (api, { id }) => api.digitaltwin.dependencies({ id }),
  }),
  'digitaltwin.geoHistory': row({
    needs: 'DigitalTwin read',
    given: (world) => world.twin(),
    call: (api, { id }) => api.digitaltwin.geoHistory({ id }),
  }),
  'digitaltwin.states': row({
    needs: 'DigitalTwin read',
    given: (world) => world.twin(),
    call: (api, { id }) => api.digitaltwin.states({ id }),
  }),
  'digitaltwin.states of a device': row({
    needs: 'VirtualDevice read',
    given: (world) => world.device(),
    call: (api, { id }) => api.digitaltwin.states({ id }),
  }),

  'twinCopy.contents': row({
    needs: 'DigitalTwin write',
    given: (world) => world.twin(),
    call: (api, { id }) => api.twinCopy.contents({ id }),
  }),
  'twinCopy.duplicate': row({
    needs: 'DigitalTwin write',
    given: (world) => world.twin(),
    call: (api, { id }) => api.twinCopy.duplicate({ id, title: 'Copy', parentId: id }),
  }),
  'twinCopy.synchronizePreview': row({
    needs: 'DigitalTwin write',
    given: async (world) => ({ id: (await world.twin()).id, other: (await world.twin()).id }),
    call: (api, { id, other }) => api.twinCopy.synchronizePreview({ id, selection: { ids: [other] } }),
  }),
  'twinCopy.synchronize': row({
    needs: 'DigitalTwin write',
    given: async (world) => {
      await world.endJobs()
      return { id: (await world.twin()).id, other: (await world.twin()).id }
    },
    call: (api, { id, other }) => api.twinCopy.synchronize({ id, selection: { ids: [other] } }),
  }),
  'bulkDuplicate.upload': row({
    needs: 'DigitalTwin write',
    // An uploaded file belongs only to its uploader.
    except: { stranger: 'ok', sibling: 'ok' },
    call: (api) => api.bulkDuplicate.upload({ file: new File(['title\na'], 'twins.csv') }),
  }),
  'bulkDuplicate.preview': row({
    needs: 'DigitalTwin write',
    given: (world, { userId }) => world.twinUpload(userId),
    call: (api, given) => api.bulkDuplicate.preview(given),
  }),
  'bulkDuplicate.run': row({
    needs: 'DigitalTwin write',
    given: async (world, { userId }) => {
      await world.endJobs()
      return world.twinUpload(userId)
    },
    call: (api, given) => api.bulkDuplicate.run({ title: 'Copies of a twin', ...given }),
  }),
  'twinBulk.selection': row({
    needs: 'DigitalTwin write',
    given: (world) => world.twin(),
    call: (api, { id }) => api.twinBulk.selection({ selection: { ids: [id] } }),
    shows: ({ twins }) => twins === 1,
  }),
  'twinBulk.edit': row({
    needs: 'DigitalTwin write',
    given: async (world) => {
      await world.endJobs()
      return world.twin()
    },
    call: (api, { id }) =>
      api.twinBulk.edit({
        title: 'Bulk edit',
        selection: { ids: [id] },
        mode: { kind: 'edit', changes: { icon: 'home' } },
      }),
  }),
  'twinUndo.ofJob': row({
    needs: 'DigitalTwin write',
    given: (world) => world.editedTwin(),
    call: (api, { jobId }) => api.twinUndo.ofJob({ jobId }),
    shows: ({ undo }) => undo !== null,
  }),
  'twinUndo.run': row({
    needs: 'DigitalTwin write',
    given: async (world) => {
      const { id } = await world.twin()
      const { undo } = await world.app.api.digitaltwin.setDisabled({ id, flag: true })
      return { id: undo?.id ?? '' }
    },
    call: (api, { id }) => api.twinUndo.run({ id }),
  }),

  'userRelation.list': row({
    needs: 'DigitalTwin read',
    given: (world) => world.twin(),
    call: (api, { id }) => api.userRelation.list({ id }),
  }),
  'userRelation.candidates': row({
    needs: 'DigitalTwin write',
    given: (world) => world.twin(),
    call: (api, { id }) => api.userRelation.candidates({ id }),
  }),
  'userRelation.create': row({
    needs: 'DigitalTwin write',
    given: async (world) => ({ ...(await world.twin()), userId: (await world.user()).id }),
    call: (api, { id, userId }) => api.userRelation.create({ id, userId, responsibility: 1 }),
  }),
  'userRelation.delete': row({
    needs: 'DigitalTwin write',
    given: async (world) => world.responsible((await world.twin()).id),
    call: (api, { id, userId }) => api.userRelation.delete({ id, userId, responsibility: 1 }),
  }),
  'userRelation.list of a device': row({
    needs: 'VirtualDevice read',
    given: (world) => world.device(),
    call: (api, { id }) => api.userRelation.list({ id }),
  }),
  'userRelation.candidates of a device': row({
    needs: 'VirtualDevice write',
    given: (world) => world.device(),
    call: (api, { id }) => api.userRelation.candidates({ id }),
  }),
  'userRelation.create of a device': row({
    needs: 'VirtualDevice write',
    given: async (world) => ({ ...(await world.device()), userId: (await world.user()).id }),
    call: (api, { id, userId }) => api.userRelation.create({ id, userId, responsibility: 1 }),
  }),
  'userRelation.delete of a device': row({
    needs: 'VirtualDevice write',
    given: async (world) => world.responsible((await world.device()).id),
    call: (api, { id, userId }) => api.userRelation.delete({ id, userId, responsibility: 1 }),
  }),
  'state.create': row({
    needs: 'DigitalTwin write',
    given: (world) => world.twin(),
    call: (api, { id }) => api.state.create({ dtwinId: id, ...newState }),
  }),
  'state.create of a device': row({
    needs: 'VirtualDevice write',
    given: (world) => world.device(),
    call: (api, { id }) => api.state.create({ dtwinId: id, ...newState }),
  }),
  'state.get': row({
    needs: twinAndState,
    given: (world) => world.state(),
    call: (api, { id }) => api.state.get({ id }),
  }),
  'state.get of a device': row({
    needs: 'VirtualDevice read',
    given: deviceState,
    call: (api, { id }) => api.state.get({ id }),
  }),
  'state.update': row({
    needs: 'DigitalTwin write',
    given: (world) => world.state(),
    call: (api, { id }) => api.state.update({ id, version: 1, title: 'Changed', source: 'none' }),
  }),
  'state.update of a device': row({
    needs: 'VirtualDevice write',
    given: deviceState,
    call: (api, { id }) => api.state.update({ id, version: 1, title: 'Changed', source: 'none' }),
  }),
  'state.delete': row({
    needs: 'DigitalTwin write',
    given: (world) => world.state(),
    call: (api, { id }) => api.state.delete({ id }),
  }),
  'state.delete of a device': row({
    needs: 'VirtualDevice write',
    given: deviceState,
    call: (api, { id }) => api.state.delete({ id }),
  }),
  'state.setValue': row({
    needs: 'DigitalTwin write',
    given: (world) => world.state(),
    call: (api, { id }) => api.state.setValue({ id, value: 21 }),
  }),
  'state.setValue of a device': row({
    needs: 'VirtualDevice write',
    given: deviceState,
    call: (api, { id }) => api.state.setValue({ id, value: 21 }),
  }),
  'stateValue.correct': row({
    needs: 'DigitalTwin write',
    given: async (world) => {
      const state = await world.state()
      await world.value(state.id, range.startDate)
      return state
    },
    call: (api, { id }) =>
      api.stateValue.correct({ id, time: range.startDate, value: 22, reason: 'Typing error' }),
  }),
  'stateValue.correct of a device': row({
    needs: 'VirtualDevice write',
    given: async (world) => {
      const state = await deviceState(world)
      await world.value(state.id, range.startDate)
      return state
    },
    call: (api, { id }) =>
      api.stateValue.correct({ id, time: range.startDate, value: 22, reason: 'Typing error' }),
  }),
  'stateValue.delete': row({
    needs: 'DigitalTwin write',
    given: (world) => world.state(),
    call: (api, { id }) => api.stateValue.delete({ id, ...range, reason: 'Typing error' }),
  }),
  'stateValue.delete of a device': row({
    needs: 'VirtualDevice write',
    given: deviceState,
    call: (api, { id }) => api.stateValue.delete({ id, ...range, reason: 'Typing error' }),
  }),
  'stateValue.upload': row({
    needs: 'DigitalTwin write',
    given: (world) => world.state(),
    call: (api, { id, twinId }) =>
      api.stateValue.upload({ file: valueFile(), dtwinId: twinId, stateId: id, dryRun: false }),
  }),
  'stateValue.upload of a device': row({
    needs: 'VirtualDevice write',
    given: deviceState,
    call: (api, { id, twinId }) =>
      api.stateValue.upload({ file: valueFile(), dtwinId: twinId, stateId: id, dryRun: false }),
  }),
  'stateValue.uploadAcross': row({
    needs: 'DigitalTwin write',
    given: (world) => world.state(),
    call: (api, { twinId }, _, { own }) => uploadAcross(api, own.id, twinId),
  }),
  'stateValue.uploadAcross of a device': row({
    needs: 'VirtualDevice write',
    given: deviceState,
    call: (api, { twinId }, _, { own }) => uploadAcross(api, own.id, twinId),
  }),
  'systemFigure.value': row({
    // And DigitalTwin read.
    needs: 'VirtualDevice read',
    alone: false,
    given: (world) => world.twin(),
    call: (api, { id }) => api.systemFigure.value({ id, figure: 'devices' }),
  }),
  'state.order': row({
    needs: 'DigitalTwin write',
    given: (world) => world.state(),
    call: (api, { id, twinId }) => api.state.order({ dtwinId: twinId, stateIds: [id] }),
  }),
  'state.linkedAggregations': row({
    needs: twinAndState,
    given: (world) => world.state(),
    call: (api, { id }) => api.state.linkedAggregations({ id }),
  }),
  'state.aggregateValue': row({
    needs: twinAndState,
    given: (world) => world.state(),
    call: (api, { id }) => api.state.aggregateValue({ stateIds: [id], method: 'avg' }),
  }),
  'state.aggregateMembers': row({
    needs: twinAndState,
    given: (world) => world.state(),
    call: (api, { twinId }) =>
      api.state.aggregateMembers({ dtwinId: twinId, query: { key: 'level' }, method: 'avg' }),
  }),
  'state.windowValue': row({
    needs: twinAndState,
    given: (world) => world.state(),
    call: (api, { id }) =>
      api.state.windowValue({ stateIds: [id], operation: 'sum', period: { range: '1h' } }),
  }),
  'state.checkForAggregateLoop': row({
    needs: twinAndState,
    given: (world) => world.state(),
    call: (api, { id }) => api.state.checkForAggregateLoop({ stateId: id, stateIds: [] }),
  }),
  'state.search': row({
    needs: twinAndState,
    given: (world) => world.state(),
    call: (api, { twinId }) => api.state.search({ dtwinId: twinId }),
    shows: holds,
  }),
  // The pair of the screen's rule (DigitalTwinStates read and DigitalTwin list) has a test of its own.
  'stateOverview.fetch': row({
    needs: 'DigitalTwin read',
    given: (world) => world.state(),
    call: (api, { twinId }) =>
      api.stateOverview.fetch({ filter: { attribute: 'dtwinId', operator: 'equals', value: twinId } }),
    shows: holds,
  }),
  'stateOverview.exportFile': row({
    needs: 'DigitalTwin read',
    given: (world) => world.state(),
    call: async (api, { id }) => {
      const { body } = await api.stateOverview.exportFile({ columns: ['id'] })
      return body instanceof Blob ? (await body.text()).split('\r\n').includes(String(id)) : false
    },
    shows: (found) => found === true,
  }),
  'stateView.list': row({
    ...ownStateView,
    given: (world, { userId }) => world.view(userId, 'states'),
    call: (api) => api.stateView.list(all),
    shows: holds,
    fresh: true,
  }),
  'stateView.get': row({
    ...ownStateView,
    given: (world, { userId }) => world.view(userId, 'states'),
    call: (api, { id }) => api.stateView.get({ id }),
    fresh: true,
  }),
  'stateView.create': row({
    ...ownStateView,
    call: (api, _, __, world) =>
      api.stateView.create({ title: world.unique('View'), filter: { search: 'CO2' } }),
  }),
  'stateView.update': row({
    ...ownStateView,
    given: (world, { userId }) => world.view(userId, 'states'),
    call: (api, { id }, _, world) =>
      api.stateView.update({ id, version: 1, title: world.unique('View'), filter: { search: 'CO2' } }),
  }),
  'stateView.delete': row({
    ...ownStateView,
    given: (world, { userId }) => world.view(userId, 'states'),
    call: (api, { id }) => api.stateView.delete({ id }),
  }),
  'twinView.list': row({
    ...ownTwinView,
    given: (world, { userId }) => world.view(userId, 'twins'),
    call: (api) => api.twinView.list(all),
    shows: holds,
    fresh: true,
  }),
  'twinView.get': row({
    ...ownTwinView,
    given: (world, { userId }) => world.view(userId, 'twins'),
    call: (api, { id }) => api.twinView.get({ id }),
    fresh: true,
  }),
  'twinView.create': row({
    ...ownTwinView,
    call: (api, _, __, world) =>
      api.twinView.create({ title: world.unique('View'), filter: { search: 'CO2' } }),
  }),
  'twinView.update': row({
    ...ownTwinView,
    given: (world, { userId }) => world.view(userId, 'twins'),
    call: (api, { id }, _, world) =>
      api.twinView.update({ id, version: 1, title: world.unique('View'), filter: { search: 'CO2' } }),
  }),
  'twinView.delete': row({
    ...ownTwinView,
    given: (world, { userId }) => world.view(userId, 'twins'),
    call: (api, { id }) => api.twinView.delete({ id }),
  }),
  'series.search': row({
    needs: anyValue,
    given: (world) => world.state(),
    call: (api, { id }) => api.series.search({ stateIds: [id], ...range }),
  }),
  'series.searchAggregated': row({
    needs: anyValue,
    given: (world) => world.state(),
    call: (api, { id }) => api.series.searchAggregated({ stateIds: [id], ...range }),
  }),
  'series.exportCsv': row({
    needs: anyValue,
    given: (world) => world.state(),
    call: (api, { id }) => api.series.exportCsv({ stateId: id, ...range }),
  }),
  'series.exportFile': row({
    needs: anyValue,
    given: (world) => world.state(),
    call: (api, { id }) => api.series.exportFile({ stateIds: [id], ...range }),
  }),
  'series.searchHistory': row({
    needs: anyValue,
    given: (world) => world.state(),
    call: (api, { id }) => api.series.searchHistory({ stateIds: [id], ...range }),
  }),
  'series.postgresFetch': row({
    needs: anyValue,
    given: (world) => world.state(),
    call: (api, { id }) => api.series.postgresFetch({ stateIds: [id], ...range }),
  }),

  'ddr.list': row({
    needs: 'DigitalTwin read',
    given: (world) => world.rule(),
    call: (api, { twinId }) => api.ddr.list({ dtwinId: twinId }),
    shows: holds,
  }),
  'ddr.overviewList': row({
    needs: 'DigitalTwin read',
    given: (world) => world.rule(),
    call: (api) => api.ddr.overviewList(all),
    shows: holds,
  }),
  'ddr.executions': row({
    needs: 'DigitalTwin read',
    given: (world) => world.execution(),
    call: (api) => api.ddr.executions(all),
    shows: holds,
  }),
  'ddr.errornousExecutions': row({
    needs: 'DigitalTwin read',
    given: (world) => world.execution(),
    call: (api) => api.ddr.errornousExecutions(all),
    shows: holds,
  }),
  'ddr.executionHistory': row({
    needs: 'DigitalTwin read',
    given: (world) => world.execution(),
    call: (api, { ruleId }) => api.ddr.executionHistory({ id: ruleId }),
  }),
  'ddr.figures': row({
    needs: 'DigitalTwin read',
    given: (world) => world.rule(),
    call: (api) => api.ddr.figures(all),
    shows: (answer, { id }) => answer.items.some(({ ruleId }) => ruleId === id),
  }),
  'ddr.versions': row({
    needs: 'DigitalTwin read',
    given: (world) => world.rule(),
    call: (api, { id }) => api.ddr.versions({ id }),
  }),
  'ddr.get': row({
    needs: 'DigitalTwin read',
    given: (world) => world.rule(),
    call: (api, { id }) => api.ddr.get({ id }),
  }),
  'ddr.create': row({
    needs: 'DigitalTwin write',
    given: (world) => world.state(),
    call: (api, { id, twinId }) => api.ddr.create({ dtwinId: twinId, ...ruleOn(id) }),
  }),
  'ddr.update': row({
    needs: 'DigitalTwin write',
    given: (world) => world.rule(),
    call: (api, { id, stateId }) => api.ddr.update({ id, version: 1, ...ruleOn(stateId), title: 'Changed' }),
  }),
  'ddr.delete': row({
    needs: 'DigitalTwin write',
    given: (world) => world.rule(),
    call: (api, { id }) => api.ddr.delete({ id }),
  }),
  'ddr.twins': row({
    needs: 'DigitalTwin read',
    given: (world) => world.rule(),
    call: (api, { id }) => api.ddr.twins({ id }),
  }),
  'ddr.previewTwins': row({
    needs: 'DigitalTwin read',
    given: (world) => world.rule(),
    call: (api, { twinId }) => api.ddr.previewTwins({ dtwinId: twinId, many: { query: {} } }),
  }),
  'ddr.exceptTwin': row({
    needs: 'DigitalTwin write',
    given: (world) => world.rule(),
    call: (api, { id, twinId }) => api.ddr.exceptTwin({ id, dtwinId: twinId, except: true }),
    // It is not for many.
    reaches: 'VALIDATION_ERROR',
  }),
  'ddr.run': row({
    needs: 'DigitalTwin write',
    given: (world) => world.rule(),
    call: (api, { id }) => api.ddr.run({ id }),
    reaches: 'DDR_NOT_RUNNABLE',
  }),
  'ddr.askRecipient': row({
    needs: 'DigitalTwin write',
    given: (world) => world.rule(),
    call: (api, { id }) => api.ddr.askRecipient({ id, address: 'nobody@example.org' }),
    reaches: 'DDR_RECIPIENT_NOT_FOUND',
  }),
  'ddr.mailDelivery': row({
    needs: 'DigitalTwin write',
    call: (api, _, __, { own }) => api.ddr.mailDelivery({ accountId: own.id }),
  }),
  'push.list': row({ needs: 'a person', call: (api) => api.push.list() }),
  'push.subscribe': row({
    needs: 'a person',
    call: (api) =>
      api.push.subscribe({
        endpoint: 'https://push.example/1',
        keys: { p256dh: 'AA', auth: 'AA' },
      }),
    reaches: 'PUSH_SUBSCRIPTION_INVALID',
  }),
  'push.unsubscribe': row({
    needs: 'a person',
    call: (api) => api.push.unsubscribe({ id: 999_999 }),
    reaches: 'PUSH_SUBSCRIPTION_NOT_FOUND',
  }),
  'ruleMail.question': row({
    needs: 'public',
    call: (api) => api.ruleMail.question({ token: 'unknown' }),
    reaches: 'DDR_RECIPIENT_LINK_ENDED',
  }),
  'ruleMail.answer': row({
    needs: 'public',
    call: (api) => api.ruleMail.answer({ token: 'unknown', accept: true }),
    reaches: 'DDR_RECIPIENT_LINK_ENDED',
  }),
  'ddr.convertConditions': row({
    needs: 'DigitalTwin read',
    // It names no object of an account.
    except: { stranger: 'ok', sibling: 'ok' },
    call: (api) => api.ddr.convertConditions({ conditions: { op: 'script', script: 'return true' } }),
    reaches: 'DDR_CONDITIONS_NOT_CONVERTIBLE',
  }),
  'ddr.holidayCalendars': row({
    needs: 'DigitalTwin read',
    // They are the same for everybody.
    except: { stranger: 'ok', sibling: 'ok' },
    call: (api) => api.ddr.holidayCalendars({ limit: 1 }),
  }),
  'ddr.testConditions': row({
    needs: 'DigitalTwin read',
    given: (world) => world.state(),
    call: (api, { id }) => {
      const { metrics, conditions } = ruleOn(id)
      return api.ddr.testConditions({ metrics, conditions })
    },
  }),
  'ddr.runOnPast': row({
    needs: 'DigitalTwin read',
    given: (world) => world.state(),
    call: (api, { id, twinId }) => api.ddr.runOnPast({ dtwinId: twinId, days: 1, rule: pastRuleOn(id) }),
    // The one before has not ended.
    reaches: 'DDR_PAST_RUNNING',
  }),
  'ddr.pastRun': row({
    needs: 'DigitalTwin read',
    given: pastRun,
    call: (api, { jobId }) => api.ddr.pastRun({ jobId }),
  }),
  'ddr.pastRuns': row({
    needs: 'DigitalTwin read',
    given: pastRun,
    call: (api, { twinId }) => api.ddr.pastRuns({ dtwinId: twinId, ...all }),
    shows: ({ items }, { jobId }) => items.some((item) => item.jobId === jobId),
  }),
  'ddr.testExecuteAction': row({
    needs: 'DigitalTwin write',
    given: (world) => world.state(),
    call: (api, { id, twinId }) =>
      api.ddr.testExecuteAction({
        dtwinId: twinId,
        title: 'Test',
        metrics: ruleOn(id).metrics,
        action: { kind: 'email', recipients: ['nobody@example.org'], subject: 'Test', body: '' },
      }),
  }),
  'trace.letter': row({
    needs: 'all manage',
    given: (world) => world.deadLetter(),
    call: (api, { id, connectorId }) => api.trace.letter({ connectorId, letterId: id }),
  }),
  'trace.packet': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => packet(world),
    call: (api, given) => api.trace.packet(given),
  }),
  'trace.value': row({
    needs: twinAndState,
    given: async (world) => value(world, await world.state()),
    call: (api, given) => api.trace.value(given),
  }),
  'trace.value of a device': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: async (world) => value(world, await deviceState(world)),
    call: (api, given) => api.trace.value(given),
  }),
  'trace.execution': row({
    needs: 'DigitalTwin read',
    given: execution,
    call: (api, { id }) => api.trace.execution({ id }),
  }),
  'trace.mail': row({
    needs: 'DigitalTwin read',
    given: execution,
    call: (api, { mailId }) => api.trace.mail({ id: mailId }),
  }),
  'trace.alarm': row({
    needs: 'DigitalTwin read',
    given: execution,
    call: (api, { alarmId }) => api.trace.alarm({ id: alarmId }),
  }),

  'alarmLogs.list': row({
    needs: 'VirtualDevice read or DigitalTwin read',
    given: (world) => world.alarm(),
    call: (api) => api.alarmLogs.list(all),
    shows: holds,
  }),
  'alarmLogs.analysis': row({
    needs: 'VirtualDevice read or DigitalTwin read',
    given: async (world) => ({ ...(await world.alarm()), accountId: world.own.id }),
    call: (api) => api.alarmLogs.analysis({}),
    shows: ({ origins }, { accountId }) => origins.some((origin) => origin.accountId === accountId),
  }),
  'alarmLogs.acknowledge': row({
    needs: 'VirtualDevice read or DigitalTwin read',
    given: (world) => world.alarm(),
    call: (api, { id }) => api.alarmLogs.acknowledge({ ids: [id] }),
  }),
  'alarmMaintenance.list': row({
    needs: 'VirtualDevice read or DigitalTwin read',
    given: (world) => world.maintenance(),
    call: (api) => api.alarmMaintenance.list(all),
    shows: holds,
  }),
  'alarmMaintenance.create': row({
    needs: 'VirtualDevice manage or DigitalTwin write',
    given: (world) => world.twin(),
    call: (api, { id: twinId }, _, { own }) =>
      api.alarmMaintenance.create({
        accountId: own.id,
        twinId,
        title: 'Works',
        startsAt: '2100-01-01T00:00:00Z',
        endsAt: '2100-01-02T00:00:00Z',
      }),
  }),
  'alarmMaintenance.end': row({
    needs: 'VirtualDevice manage or DigitalTwin write',
    given: (world) => world.maintenance(),
    call: (api, { id }) => api.alarmMaintenance.end({ id }),
  }),
  'alarmReports.list': row({
    needs: 'VirtualDevice manage',
    given: (world) => world.report(),
    call: (api) => api.alarmReports.list(all),
    shows: holds,
  }),
  'alarmReports.get': row({
    needs: 'VirtualDevice manage',
    given: (world) => world.report(),
    call: (api, { id }) => api.alarmReports.get({ id }),
  }),
  'alarmReports.create': row({
    needs: 'VirtualDevice manage',
    given: (world) => world.group(),
    call: (api, { id }, _, world) =>
      api.alarmReports.create({ accountId: world.own.id, ...reportOf(world.unique('Report'), id) }),
  }),
  'alarmReports.update': row({
    needs: 'VirtualDevice manage',
    given: (world) => world.report(),
    call: (api, { id, groupId }, _, world) =>
      api.alarmReports.update({ id, version: 1, ...reportOf(world.unique('Report'), groupId) }),
  }),
  'alarmReports.delete': row({
    needs: 'VirtualDevice manage',
    given: (world) => world.report(),
    call: (api, { id }) => api.alarmReports.delete({ id }),
  }),
  'alarmReports.test': row({
    needs: 'VirtualDevice manage',
    given: (world) => world.group(),
    call: (api, { id }, _, { own }) =>
      api.alarmReports.test({ accountId: own.id, ...reportOf('Report', id), send: false }),
  }),
  'alarmReports.runs': row({
    needs: 'VirtualDevice manage',
    given: (world) => world.report(),
    call: (api, { id }) => api.alarmReports.runs({ id }),
  }),
  'alarmReports.file': row({
    needs: 'VirtualDevice manage',
    given: (world) => world.report(),
    call: (api, { id, runId }) => api.alarmReports.file({ id, runId }),
  }),
  'alarmNotifications.list': row({ needs: 'a person', call: (api) => api.alarmNotifications.list(all) }),
  'alarmNotifications.create': row({
    needs: 'a person',
    call: (api) => api.alarmNotifications.create({ title: 'All', channel: 'webhook' }),
    reaches: 'NOTIFICATION_CONNECTOR_INVALID',
  }),
  'alarmNotifications.update': row({
    needs: 'a person',
    call: (api) => api.alarmNotifications.update({ id: 999_999, version: 1, title: 'All', channel: 'mail' }),
    reaches: 'NOT_FOUND',
  }),
  'alarmNotifications.delete': row({
    needs: 'a person',
    call: (api) => api.alarmNotifications.delete({ id: 999_999 }),
    reaches: 'NOT_FOUND',
  }),
  'alarmNotifications.test': row({
    needs: 'a person',
    call: (api) => api.alarmNotifications.test({ id: 999_999 }),
    reaches: 'NOT_FOUND',
  }),
  'alarmLogs.assign': row({
    needs: 'VirtualDevice read or DigitalTwin read',
    given: (world) => world.alarm(),
    call: (api, { id }) => api.alarmLogs.assign({ ids: [id], userId: null }),
  }),
  'alarmLogs.assignees': row({
    needs: 'VirtualDevice read or DigitalTwin read',
    given: (world) => world.alarm(),
    call: (api, { id }) => api.alarmLogs.assignees({ id, ...all }),
  }),
  'alarmLogs.snooze': row({
    needs: 'VirtualDevice read or DigitalTwin read',
    given: (world) => world.alarm(),
    call: (api, { id }) => api.alarmLogs.snooze({ ids: [id], until: null }),
  }),
  'alarmLogs.times': row({
    needs: 'VirtualDevice read',
    call: (api, _, __, { own }) => api.alarmLogs.times({ accountId: own.id }),
  }),
  'alarmLogs.setTimes': row({
    needs: 'VirtualDevice manage',
    call: (api, _, __, { own }) => api.alarmLogs.setTimes({ accountId: own.id, times: null }),
  }),
  'alarmLogs.comments': row({
    needs: 'VirtualDevice read or DigitalTwin read',
    given: (world) => world.alarm(),
    call: (api, { id }) => api.alarmLogs.comments({ id, ...all }),
  }),
  'alarmLogs.comment': row({
    needs: 'VirtualDevice read or DigitalTwin read',
    given: (world) => world.alarm(),
    call: (api, { id }) => api.alarmLogs.comment({ id, text: 'On my way' }),
  }),
  'alarmLogs.commentBatch': row({
    needs: 'VirtualDevice read or DigitalTwin read',
    given: (world) => world.alarm(),
    call: (api, { id }) => api.alarmLogs.commentBatch({ ids: [id], text: 'On my way' }),
  }),

  'dashboards.list': row({
    needs: 'Dashboards read or Dashboards manage',
    given: (world) => world.dashboard(),
    call: (api) => api.dashboards.list(all),
    shows: holds,
  }),
  'objects.usersOfTwin': row({
    needs: 'DigitalTwin read',
    given: (world) => world.twin(),
    call: (api, { id }) => api.objects.usersOfTwin({ id }),
  }),
  'objects.usersOfDevice': row({
    needs: 'VirtualDevice read or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.objects.usersOfDevice({ id }),
  }),
  'objects.usersOfState': row({
    needs: twinAndState,
    given: (world) => world.state(),
    call: (api, { id }) => api.objects.usersOfState({ id }),
  }),
  'objects.usersOfState of a device': row({
    needs: 'VirtualDevice read',
    given: deviceState,
    call: (api, { id }) => api.objects.usersOfState({ id }),
  }),
  'objects.usersOfDriver': row({
    needs: driverReaders,
    given: (world) => world.driver(),
    call: (api, { id }) => api.objects.usersOfDriver({ id }),
  }),
  'objects.usersOfConnector': row({
    needs: 'all manage',
    given: (world) => world.connector(),
    call: (api, { id }) => api.objects.usersOfConnector({ id }),
  }),
  'objects.usersOfGroup': row({
    needs: deviceReaders,
    given: (world) => world.group(),
    call: (api, { id }) => api.objects.usersOfGroup({ id }),
  }),
  'objects.usersOfTemplate': row({
    needs: templateReaders,
    given: (world) => world.template(),
    call: (api, { id }) => api.objects.usersOfTemplate({ id }),
  }),
  'objects.usersOfDashboard': row({
    needs: 'Dashboards read or Dashboards manage',
    given: (world) => world.dashboard(),
    call: (api, { id }) => api.objects.usersOfDashboard({ id }),
  }),
  'dashboards.get': row({
    needs: 'Dashboards read or Dashboards manage',
    given: (world) => world.dashboard(),
    call: (api, { id }) => api.dashboards.get({ id }),
  }),
  'dashboards.pdf': row({
    needs: 'Dashboards read or Dashboards manage',
    given: (world) => world.dashboard(),
    call: (api, { id }) =>
      api.dashboards.pdf({
        id,
        dateRangeStart: '2026-11-02T00:00:00.000Z',
        dateRangeEnd: '2026-11-01T00:00:00.000Z',
      }),
    // A printed one takes seconds; what is printed is tested beside it.
    reaches: 'INVALID_DATE_RANGE',
  }),
  'dashboards.create': row({
    needs: 'Dashboards manage',
    call: (api, _, __, world) =>
      api.dashboards.create({ accountId: world.own.id, name: world.unique('Made') }),
  }),
  'dashboards.delete': row({
    needs: 'Dashboards manage',
    given: (world) => world.dashboard(),
    call: (api, { id }) => api.dashboards.delete({ id }),
  }),
  'dashboards.save': row({
    needs: 'Dashboards manage',
    given: (world) => world.dashboard(),
    call: (api, { id }, _, world) =>
      api.dashboards.save({
        id,
        version: 1,
        name: world.unique('Saved'),
        settings: {},
        widgets: [{ definition: widgetDefinition }],
      }),
  }),
  'dashboards.config': row({
    needs: 'Dashboards manage',
    given: (world) => world.dashboard(),
    call: (api, { id }, _, world) =>
      api.dashboards.config({ id, version: 1, name: world.unique('Changed'), settings: {} }),
  }),
  'dashboards.addWidget': row({
    needs: 'Dashboards manage',
    given: (world) => world.dashboard(),
    call: (api, { id }) => api.dashboards.addWidget({ id, definition: widgetDefinition }),
  }),
  'dashboards.configWidget': row({
    needs: 'Dashboards manage',
    given: (world) => world.dashboard(),
    call: (api, { id, widgetId }) =>
      api.dashboards.configWidget({ id, widgetId, definition: widgetDefinition }),
  }),
  'dashboards.orderWidgets': row({
    needs: 'Dashboards manage',
    given: (world) => world.dashboard(),
    call: (api, { id, widgetId }) => api.dashboards.orderWidgets({ id, order: [widgetId] }),
  }),
  'dashboards.deleteWidget': row({
    needs: 'Dashboards manage',
    given: (world) => world.dashboard(),
    call: (api, { id, widgetId }) => api.dashboards.deleteWidget({ id, widgetId }),
  }),
  'dashboards.widgetData': row({
    needs: 'Dashboards read or Dashboards manage',
    given: (world) => world.dashboard(),
    call: (api, { id }) => api.dashboards.widgetData({ id, widgetId: '__all__', ...boardRange }),
  }),
  'dashboards.dataByDefinition': row({
    needs: 'Dashboards read or Dashboards manage',
    given: (world) => world.dashboard(),
    call: (api, { id }) =>
      api.dashboards.dataByDefinition({
        id,
        widgetDefinition,
        dateRange: { start: range.startDate, end: range.endDate },
      }),
  }),

  'job.list': row({
    needs: jobViewers,
    // All users see the jobs they started.
    as: 'signed in',
    fresh: true,
    given: (world, { userId }) => world.job(userId, 'canceled'),
    call: (api) => api.job.list(all),
    shows: holds,
  }),
  'job.get': row({
    needs: jobViewers,
    as: 'signed in',
    fresh: true,
    given: (world, { userId }) => world.job(userId, 'canceled'),
    call: (api, { id }) => api.job.get({ id }),
  }),
  'job.get of somebody else': row({
    needs: 'DigitalTwin read or IotHub read or VirtualDevice read or VirtualDevice manage or all manage',
    given: (world) => world.job(null, 'canceled'),
    call: (api, { id }) => api.job.get({ id }),
  }),
  'job.cancel of somebody else': row({
    needs: 'all manage',
    except: { stranger: '404' },
    given: (world) => world.job(null, 'created'),
    call: (api, { id }) => api.job.cancel({ id }),
  }),
  'job.failedCsv of somebody else': row({
    needs: 'all manage',
    except: { stranger: '404' },
    given: (world) => world.job(null, 'canceled'),
    call: (api, { id }) => api.job.failedCsv({ id }),
  }),
  'job.cancel': row({
    needs: jobViewers,
    as: 'signed in',
    given: (world, { userId }) => world.job(userId, 'created'),
    call: (api, { id }) => api.job.cancel({ id }),
  }),
  'job.rows': row({
    needs: jobViewers,
    as: 'signed in',
    fresh: true,
    given: (world, { userId }) => world.job(userId, 'canceled'),
    call: (api, { id }) => api.job.rows({ id }),
  }),
  'job.failedCsv': row({
    needs: jobViewers,
    as: 'signed in',
    fresh: true,
    given: (world, { userId }) => world.job(userId, 'canceled'),
    call: (api, { id }) => api.job.failedCsv({ id }),
  }),
  'job.delete': row({
    needs: jobViewers,
    as: 'signed in',
    given: (world, { userId }) => world.job(userId, 'created'),
    call: (api, { id }) => api.job.delete({ id }),
  }),
  'job.retry': row({
    needs: jobViewers,
    as: 'signed in',
    given: (world, { userId }) => world.job(userId, 'canceled'),
    call: (api, { id }) => api.job.retry({ id }),
  }),
  'exporting.one': row({
    needs: anyValue,
    given: async (world) => {
      // An account has a limited number of jobs that are not done, and other rows have left some.
      await world.app.ctx.db
        .updateTable('background_jobs')
        .set({ state: 'canceled' })
        .where('state', '=', 'created')
        .execute()
      return world.state()
    },
    call: (api, { twinId }) => api.exporting.one({ objectId: twinId, range: exportRange }),
  }),
  'exporting.bulk': row({
    needs: exporters,
    // Nobody sees these devices, so it is the same for all.
    as: 'signed in',
    reaches: 'EXPORT_NOTHING_SELECTED',
    call: (api) => api.exporting.bulk(exportRequest),
  }),
  'exporting.preview': row({
    needs: exporters,
    as: 'signed in',
    call: (api) => api.exporting.preview({ selection: noDevices }),
  }),
  'exporting.file': row({
    needs: jobViewers,
    as: 'signed in',
    fresh: true,
    given: (world, { userId }) => world.job(userId, 'canceled'),
    reaches: 'EXPORT_NO_FILE',
    call: (api, { id }) => api.exporting.file({ id }),
  }),
  'exporting.file of somebody else': row({
    needs: 'all manage',
    except: { stranger: '404' },
    given: (world) => world.job(null, 'canceled'),
    reaches: 'EXPORT_NO_FILE',
    call: (api, { id }) => api.exporting.file({ id }),
  }),
  'exporting.deleteFile': row({
    needs: jobViewers,
    as: 'signed in',
    fresh: true,
    given: (world, { userId }) => world.job(userId, 'canceled'),
    reaches: 'EXPORT_NO_FILE',
    call: (api, { id }) => api.exporting.deleteFile({ id }),
  }),
  'exporting.definitions': row({
    needs: exporters,
    given: savedExport,
    call: (api) => api.exporting.definitions(all),
    shows: holds,
  }),
  'exporting.definition': row({
    needs: exporters,
    given: savedExport,
    call: (api, { id }) => api.exporting.definition({ id }),
  }),
  'exporting.createDefinition': row({
    needs: exporters,
    call: (api, _, __, world) =>
      api.exporting.createDefinition({
        title: world.unique('Export'),
        accountId: world.own.id,
        request: exportRequest,
      }),
  }),
  'exporting.updateDefinition': row({
    needs: 'all manage',
    except: { stranger: '404' },
    given: savedExport,
    call: (api, { id }) =>
      api.exporting.updateDefinition({ id, version: 1, title: 'Changed', request: exportRequest }),
  }),
  'exporting.activateDefinition': row({
    needs: 'all manage',
    except: { stranger: '404' },
    given: savedExport,
    call: (api, { id }) => api.exporting.activateDefinition({ id, active: false }),
  }),
  'exporting.deleteDefinition': row({
    needs: 'all manage',
    except: { stranger: '404' },
    given: savedExport,
    call: (api, { id }) => api.exporting.deleteDefinition({ id }),
  }),
  'exporting.runDefinition': row({
    needs: exporters,
    given: savedExport,
    reaches: 'EXPORT_NOTHING_SELECTED',
    call: (api, { id }) => api.exporting.runDefinition({ id }),
  }),
  'exportSchedules.list': row({
    needs: exporters,
    given: exportSchedule,
    call: (api) => api.exportSchedules.list(all),
    shows: holds,
  }),
  'exportSchedules.get': row({
    needs: exporters,
    given: exportSchedule,
    call: (api, { id }) => api.exportSchedules.get({ id }),
  }),
  'exportSchedules.create': row({
    needs: exporters,
    call: (api, _, __, world) => api.exportSchedules.create(scheduleOf(world)),
  }),
  'exportSchedules.update': row({
    needs: 'all manage',
    except: { stranger: '404' },
    given: exportSchedule,
    call: (api, { id }) => api.exportSchedules.update({ id, version: 1, title: 'Changed', active: true }),
  }),
  'exportSchedules.delete': row({
    needs: 'all manage',
    except: { stranger: '404' },
    given: exportSchedule,
    call: (api, { id }) => api.exportSchedules.delete({ id }),
  }),
  'exportSchedules.run': row({
    needs: 'all manage',
    except: { stranger: '404' },
    given: exportSchedule,
    call: (api, { id }) => api.exportSchedules.run({ id }),
  }),
  'exportSchedules.runs': row({
    needs: exporters,
    given: exportSchedule,
    call: (api, { id }) => api.exportSchedules.runs({ id }),
  }),
  'exportSchedules.preview': row({
    needs: exporters,
    as: 'signed in',
    call: (api, _, __, world) => {
      const { frequency, range } = scheduleOf(world)
      return api.exportSchedules.preview({ frequency, range, timeZone: 'UTC' })
    },
  }),
  'exportSchedules.checkTarget': row({
    needs: exporters,
    as: 'signed in',
    // No network of the machine is open to users.
    reaches: 'EXPORT_SCHEDULE_TARGET_FAILED',
    call: (api) => api.exportSchedules.checkTarget({ what: 'fingerprint', host: '127.0.0.1', port: 22 }),
  }),
  'exportSchedules.file': row({
    needs: 'public',
    reaches: 'EXPORT_LINK_ENDED',
    call: (api) => api.exportSchedules.file({ token: 'unknown' }),
  }),
  'bulk.update': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.bulk.update({ ids: [id], changes: { description: 'x' } }),
  }),
  'bulk.selection': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) => api.bulk.selection({ selection: { ids: [id] } }),
    shows: ({ devices }) => devices === 1,
  }),
  'bulk.edit': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: async (world) => {
      await world.endJobs()
      return world.device()
    },
    call: (api, { id }) =>
      api.bulk.edit({
        title: 'Bulk edit',
        selection: { ids: [id] },
        mode: { kind: 'edit', changes: { description: 'x' } },
      }),
  }),
  'bulk.upload': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    // An uploaded file belongs only to its uploader.
    except: { stranger: 'ok', sibling: 'ok' },
    call: (api) => api.bulk.upload({ file: new File(['id;title\na;b'], 'devices.csv') }),
  }),
  'bulk.preview': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world, { userId }) => world.upload(userId),
    call: (api, given) => api.bulk.preview(given),
  }),
  'bulk.import': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: async (world, { userId }) => {
      await world.endJobs()
      return world.upload(userId)
    },
    call: (api, given) => api.bulk.import({ title: 'Import', ...given }),
  }),
  'letters.redecodePreview': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: (world) => world.device(),
    call: (api, { id }) =>
      api.letters.redecodePreview({ deviceIds: [id], from: range.startDate, to: range.endDate }),
  }),
  'letters.redecode': row({
    needs: 'VirtualDevice write or VirtualDevice manage',
    given: async (world) => {
      await world.endJobs()
      return world.device()
    },
    call: (api, { id }) =>
      api.letters.redecode({ deviceIds: [id], from: range.startDate, to: range.endDate }),
  }),
}
