import { parse } from 'yaml'
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
 * Devices in the layout of the device repository of The Things Network: a folder for each maker with a description of
 * each device (`<device>.yaml`), of each codec (`<codec>.yaml`, with examples) and the script it names.
 */
export function findTtnDevices(files: Files): FoundDevice[] {
  const makers = new Map<string, string>()
  return [...files]
    .filter(([path, text]) => /\.ya?ml$/i.test(path) && /^firmwareVersions:/m.test(text))
    .map(([path, text]) => {
      const folder = folderOf(path)
      const manufacturer = makers.get(folder) ?? makerOf(files, folder)
      makers.set(folder, manufacturer)
      return deviceOf(files, path, text, manufacturer)
    })
}

/** The list of makers lies beside their folders; where it was not brought along the folder's name has to do. */
function makerOf(files: Files, folder: string): string {
  const id = folder.slice(folder.lastIndexOf('/') + 1)
  const index = readYaml(files.get(join(folderOf(folder), 'index.yaml')))
  const maker = listOf(index?.vendors)
    .map(recordOf)
    .find((each) => each.id === id)
  return textOf(maker?.name, 200) || id
}

function deviceOf(files: Files, path: string, text: string, manufacturer: string): FoundDevice {
  let device: Unknown
  try {
    device = recordOf(parse(text))
  } catch (error) {
    const problem = { code: 'unreadable' as const, message: messageOf(error).split('\n')[0] ?? '' }
    return { path, manufacturer, model: nameOf(path), description: '', specs: {}, decoder: null, problem }
  }
  // The newest firmware stands last.
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
  return { ...about, ...decoderOf(files, folderOf(path), codec) }
}

function decoderOf(files: Files, folder: string, codec: string): Pick<FoundDevice, 'decoder' | 'problem'> {
  const described = join(folder, `${codec}.yaml`)
  const text = files.get(described)
  if (text === undefined) return { decoder: null, problem: { code: 'fileMissing', message: described } }
  const content = readYaml(text)
  if (content === undefined) return { decoder: null, problem: { code: 'unreadable', message: described } }
  const { fileName, examples } = recordOf(content.uplinkDecoder)
  if (typeof fileName !== 'string')
    return { decoder: null, problem: { code: 'noDecoder', message: described } }
  const path = join(folder, fileName)
  const script = files.get(path)
  if (script === undefined) return { decoder: null, problem: { code: 'fileMissing', message: path } }
  const decoder: Decoder = {
    ...{ path, script, encoder: isRecord(content.downlinkEncoder) },
    ...readExamples(listOf(examples), 'output', 'description'),
  }
  return { decoder, problem: null }
}

/** What a file holds; undefined when it is not there or no YAML. */
function readYaml(text: string | undefined): Unknown | undefined {
  if (text === undefined) return undefined
  try {
    return recordOf(parse(text))
  } catch {
    // Said where the file is needed.
    return undefined
  }
}
