import { limits } from '@leitstand/contract/common'
import { type ImportedDevice, importLimits } from '@leitstand/contract/driverImport'
import type { GoldenPacket } from '@leitstand/contract/drivers'
import { noHealthConfig } from '@leitstand/contract/health'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { requireAccount } from '../../accounts/index.ts'
import { requireScript } from '../check.ts'
import { flattenOutput } from '../decode.ts'
import { createDriver, type DriverContext } from '../drivers.ts'
import { compareVariables, goldenTime } from '../golden.ts'
import { manageScopes } from '../policy.ts'
import { runDriver } from '../run.ts'
import { type Decoder, type FoundDevice, folderOf, nameOf } from './found.ts'
import { existingModels } from './store.ts'
import { repositoryTask } from './task.ts'

/** Maximum golden packets and variables of a driver. */
const goldenMax = 100
const variablesMax = 200
const variableName = /^[A-Za-z0-9_.]{1,100}$/

/**
 * Reads a device repository and lists the importable devices; those in `keys` become drivers of the account.
 * @throws AppError TENANT_NOT_FOUND, IMPORT_ARCHIVE_UNREADABLE, IMPORT_ARCHIVE_TOO_LARGE, IMPORT_NOTHING_FOUND,
 * IMPORT_TOO_MANY, FILE_TOO_DEMANDING, OVERLOADED
 */
export async function importDrivers(
  ctx: DriverContext,
  caller: Caller,
  { file, accountId, keys }: { file: File; accountId: number; keys?: string | undefined },
): Promise<ImportedDevice[]> {
  await requireAccount(ctx.db, accountId, manageScopes(caller))
  const bytes = new Uint8Array(await file.arrayBuffer())
  const found = withKeys(await ctx.reader.read(repositoryTask, { bytes, accountId, input: null }))
  const existing = await existingModels(ctx.db, accountId, found.map(modelOf))
  const asked = new Set(keys?.split('\n').map((each) => each.trim()))
  const items: ImportedDevice[] = []
  for (const device of found) {
    const trial = await tryDevice(ctx, accountId, device)
    const isThere = existing.has(modelOf(device)) && trial.item.state === 'ready'
    const item = isThere ? { ...trial.item, state: 'exists' as const } : trial.item
    items.push(
      item.state === 'ready' && asked.has(item.key)
        ? await take(ctx, caller, accountId, device, { ...trial, item })
        : item,
    )
  }
  return items
}

type KeyedDevice = FoundDevice & { key: string }

/** Maker and device as files are called; where that is not unique, the whole path. */
function withKeys(devices: readonly FoundDevice[]): KeyedDevice[] {
  const short = ({ path }: FoundDevice) => {
    const folder = folderOf(path).replace(/\/devices$/, '')
    return `${folder.slice(folder.lastIndexOf('/') + 1)}/${nameOf(path)}`
  }
  const counts = Map.groupBy(devices, short)
  return devices
    .map((device) => ({
      ...device,
      key: counts.get(short(device))?.length === 1 ? short(device) : device.path,
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

const modelOf = ({ manufacturer, model }: FoundDevice) => `${manufacturer}\n${model}`.toLowerCase()

function titleOf({ manufacturer, model }: FoundDevice): string {
  const isNamed = model.toLowerCase().startsWith(manufacturer.toLowerCase())
  return (isNamed ? model : `${manufacturer} ${model}`).trim().slice(0, limits.titleLengthMax)
}

interface Trial {
  item: ImportedDevice
  golden: GoldenPacket[]
}

/** Compiles the decoder and runs it on its examples, as live traffic would. */
async function tryDevice(ctx: DriverContext, accountId: number, device: KeyedDevice): Promise<Trial> {
  const { key, manufacturer, model, decoder, problem } = device
  const item: ImportedDevice = {
    key,
    title: titleOf(device),
    manufacturer,
    model,
    state: 'unusable',
    problem,
    script: decoder?.path ?? null,
    golden: 0,
    differing: 0,
    differences: [],
    driverId: null,
    unusable: decoder?.unusable ?? 0,
    encoder: decoder?.encoder ?? false,
  }
  if (decoder === null) return { item, golden: [] }
  if (decoder.script.length > limits.scriptLengthMax)
    return { item: { ...item, problem: { code: 'tooLarge', message: decoder.path } }, golden: [] }
  try {
    await requireScript(ctx.scripts, { kind: 'driver', source: decoder.script, account: accountId })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { item: { ...item, problem: { code: error.code, message: error.message } }, golden: [] }
  }
  const { golden, differing } = await tryExamples(ctx, accountId, decoder)
  return {
    item: {
      ...item,
      state: 'ready',
      golden: golden.length,
      differing: differing.length,
      differences: differing.slice(0, importLimits.differingMax),
    },
    golden,
  }
}

async function tryExamples(
  ctx: DriverContext,
  accountId: number,
  { script, examples }: Decoder,
): Promise<{ golden: GoldenPacket[]; differing: ImportedDevice['differences'] }> {
  const tried = examples.slice(0, goldenMax)
  const packets = tried.map(({ payload, fPort }) => ({
    payload,
    fPort,
    encoding: 'base16' as const,
    time: goldenTime,
  }))
  const parser = { kind: 'function' as const }
  const driver = { driverId: 0, number: 0, parser, script, accountId }
  const options = { dataAccountId: accountId, isTrial: true }
  const decoded = packets.length === 0 ? [] : await runDriver(ctx.parsers, driver, packets, options)
  const golden: GoldenPacket[] = []
  const differing: ImportedDevice['differences'] = []
  for (const [index, { title, fPort, payload, data }] of tried.entries()) {
    const answer = decoded[index]
    const published = flattenOutput(data, goldenTime)
    const expected = Object.assign({}, ...published.measurements.map(({ variables }) => variables))
    const differences = compareVariables(expected, answer?.variables ?? {})
    const error = answer?.error?.message ?? published.error?.message ?? null
    if (error === null && differences.length === 0)
      golden.push({ title, fPort, payload, encoding: 'base16', expected })
    else
      differing.push({
        title,
        error,
        differences: error === null ? differences.slice(0, importLimits.differencesMax) : [],
      })
  }
  return { golden, differing }
}

/** Creates a driver from a tried device. */
async function take(
  ctx: DriverContext,
  caller: Caller,
  accountId: number,
  device: KeyedDevice,
  { item, golden }: Trial,
): Promise<ImportedDevice> {
  const { manufacturer, model, description, specs, decoder } = device
  const names = new Set(golden.flatMap(({ expected }) => Object.keys(expected)))
  const variables = [...names].filter((key) => variableName.test(key)).slice(0, variablesMax)
  try {
    const driverId = await createDriver(ctx, caller, accountId, {
      title: item.title,
      manufacturer,
      model,
      description,
      specs,
      visibility: 'account',
      parser: { kind: 'function' },
      script: decoder?.script ?? '',
      calculated: [],
      golden,
      variables: variables.map((key) => ({ key, title: '', unit: '' })),
      health: noHealthConfig(),
      downlinks: [],
      note: device.path.slice(-500),
      publish: true,
      // Its codec names them so.
      acceptAlike: true,
    })
    return { ...item, state: 'imported', driverId }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // One that cannot be stored does not block the others.
    return { ...item, state: 'unusable', problem: { code: error.code, message: error.message } }
  }
}
