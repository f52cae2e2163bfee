import { parse as parseYaml } from 'yaml'
import { messageOf } from '../../../platform/errors.ts'
import type { Files } from './archive.ts'
import {
  type Decoder,
  type FoundDevice,
  folderOf,
  isRecord,
  join,
  listOf,
  nameOf,
  readExamples,
  recordOf,
  textOf,
  type Unknown,
  urlOf,
} from './found.ts'

/**
 * What one value may refer to another: enough for what people write, too little to grow by it. Keys that come twice are
 * not looked for, because that takes the square of their number; the last one counts.
 */
const yamlOptions = { maxAliasCount: 100, merge: false, uniqueKeys: false, logLevel: 'error' } as const

/** Whether a file describes a device in this layout. */
export function isTtnDevice(path: string, text: string): boolean {
  return /\.ya?ml$/i.test(path) && /^firmwareVersions:/m.test(text)
}

/**
 * Devices in the layout of the device repository of The Things Network: a folder for each maker with a description of
 * each device (`<device>.yaml`), of each codec (`<codec>.yaml`, with examples) and the script it names.
 */
export function findTtnDevices(files: Files): FoundDevice[] {
  const makers = new Map<string, string>()
  const read = reader(files)
  return [...files]
    .filter(([path, text]) => isTtnDevice(path, text))
    .map(([path, text]) => {
      const folder = folderOf(path)
      const manufacturer = makers.get(folder) ?? makerOf(read, folder)
      makers.set(folder, manufacturer)
      return deviceOf(files, read, { path, text, manufacturer })
    })
}

/** The name of the maker from the index beside its folder; the folder name if there is no index. */
function makerOf(read: Read, folder: string): string {
  const id = folder.slice(folder.lastIndexOf('/') + 1)
  const index = read(join(folderOf(folder), 'index.yaml'))
  const maker = listOf(index?.vendors)
    .map(recordOf)
    .find((each) => each.id === id)
  return textOf(maker?.name, 200) || id
}

function deviceOf(
  files: Files,
  read: Read,
  { path, text, manufacturer }: { path: string; text: string; manufacturer: string },
): FoundDevice {
  let device: Unknown
  try {
    device = recordOf(parseYaml(text, yamlOptions))
  } catch (error) {
    const problem = { code: 'unreadable' as const, message: messageOf(error).split('\n')[0] ?? '' }
    return { path, manufacturer, model: nameOf(path), description: '', specs: {}, decoder: null, problem }
  }
  // The newest firmware is last.
  const firmwares = listOf(device.firmwareVersions).map(recordOf).reverse()
  const profiles = firmwares.map(({ profiles: each }) => Object.entries(recordOf(each)))
  const codecs = profiles.flatMap((each) => each.map(([, profile]) => recordOf(profile).codec))
  const regions = [...new Set(profiles.flatMap((each) => each.map(([region]) => region)))]
  const sensors = listOf(device.sensors).filter((each): each is string => typeof each === 'string')
  const about = {
    path,
    manufacturer,
    model: textOf(device.name, 200) || nameOf(path),
    description: textOf(device.description, 4000),
    specs: {
      technology: 'LoRaWAN',
      ...(regions.length === 0 ? {} : { frequency: regions.join(', ').slice(0, 100) }),
      ...(sensors.length === 0 ? {} : { highlights: sensors.slice(0, 20).map((each) => each.slice(0, 200)) }),
      ...urlOf(device.dataSheetURL, device.productURL),
    },
  }
  const codec = codecs.find((each): each is string => typeof each === 'string' && each !== '')
  if (codec === undefined) return { ...about, decoder: null, problem: { code: 'noDecoder', message: '' } }
  return { ...about, ...decoderOf(files, read, folderOf(path), codec) }
}

function decoderOf(
  files: Files,
  read: Read,
  folder: string,
  codec: string,
): Pick<FoundDevice, 'decoder' | 'problem'> {
  const described = join(folder, `${codec}.yaml`)
  if (!files.has(described)) return { decoder: null, problem: { code: 'fileMissing', message: described } }
  const content = read(described)
  if (content === undefined) return { decoder: null, problem: { code: 'unreadable', message: described } }
  const { fileName, examples } = recordOf(content.uplinkDecoder)
  if (typeof fileName !== 'string')
    return { decoder: null, problem: { code: 'noDecoder', message: described } }
  const path = join(folder, fileName)
  const script = files.get(path)
  if (script === undefined) return { decoder: null, problem: { code: 'fileMissing', message: path } }
  const decoder: Decoder = {
    path,
    script,
    encoder: isRecord(content.downlinkEncoder),
    ...readExamples(listOf(examples), 'output', 'description'),
  }
  return { decoder, problem: null }
}

/** What the file at a path holds; undefined when it is not there or no YAML. */
type Read = (path: string) => Unknown | undefined

/** Reads each file once, however many devices name it. */
function reader(files: Files): Read {
  const known = new Map<string, Unknown | undefined>()
  return (path) => {
    if (!known.has(path)) known.set(path, readYaml(files.get(path)))
    return known.get(path)
  }
}

function readYaml(text: string | undefined): Unknown | undefined {
  if (text === undefined) return undefined
  try {
    return recordOf(parseYaml(text, yamlOptions))
  } catch {
    // Said where the file is needed.
    return undefined
  }
}
