import { parse } from 'smol-toml'
import { messageOf } from '../../../platform/errors.ts'
import type { Files } from './archive.ts'
import {
  type Decoder,
  type FoundDevice,
  folderOf,
  join,
  listOf,
  nameOf,
  readExamples,
  recordOf,
  textOf,
  type Unknown,
  urlOf,
} from './found.ts'

/** Whether a file describes a device in this layout. */
export function isChirpstackDevice(path: string, text: string): boolean {
  return /\.toml$/i.test(path) && /^\s*\[device\]/m.test(text)
}

/**
 * Devices in the layout of ChirpStack's device profiles: a folder for each maker with `vendor.toml`, descriptions
 * (`devices/<device>.toml`), scripts (`codecs/<codec>.js`) and examples (`codecs/test_decode_<codec>.json`).
 */
export function findChirpstackDevices(files: Files): FoundDevice[] {
  return [...files]
    .filter(([path, text]) => isChirpstackDevice(path, text))
    .map(([path, text]) => {
      const vendor = folderOf(folderOf(path))
      return deviceOf(files, path, text, vendor)
    })
}

function makerOf(files: Files, vendor: string): string {
  const content = readToml(files.get(join(vendor, 'vendor.toml')))
  return textOf(recordOf(content?.vendor).name, 200) || vendor.slice(vendor.lastIndexOf('/') + 1)
}

function deviceOf(files: Files, path: string, text: string, vendor: string): FoundDevice {
  const manufacturer = makerOf(files, vendor)
  let device: Unknown
  try {
    device = recordOf(recordOf(parse(text)).device)
  } catch (error) {
    const problem = { code: 'unreadable' as const, message: messageOf(error).split('\n')[0] ?? '' }
    return { path, manufacturer, model: nameOf(path), description: '', specs: {}, decoder: null, problem }
  }
  const firmwares = listOf(device.firmware).map(recordOf).reverse()
  const profiles = firmwares.flatMap(({ profiles: each }) => listOf(each)).map((each) => nameOf(String(each)))
  const regions = [...new Set(profiles.map((each) => each.split('-')[0] ?? each))]
  const metadata = recordOf(device.metadata)
  const name = textOf(device.name, 200) || nameOf(path)
  const startsWithMaker = name.toLowerCase().startsWith(`${manufacturer.toLowerCase()} `)
  const about = {
    path,
    manufacturer,
    model: startsWithMaker ? name.slice(manufacturer.length + 1).trim() : name,
    description: textOf(device.description, 4000),
    specs: {
      technology: 'LoRaWAN',
      ...(regions.length === 0 ? {} : { frequency: regions.join(', ').slice(0, 100) }),
      ...urlOf(metadata.documentation_url, metadata.product_url),
    },
  }
  const codec = firmwares.map((each) => each.codec).find((each) => typeof each === 'string' && each !== '')
  if (typeof codec !== 'string')
    return { ...about, decoder: null, problem: { code: 'noDecoder', message: '' } }
  return { ...about, ...decoderOf(files, join(vendor, 'codecs'), codec) }
}

function decoderOf(files: Files, folder: string, codec: string): Pick<FoundDevice, 'decoder' | 'problem'> {
  const path = join(folder, codec)
  const script = files.get(path)
  if (script === undefined) return { decoder: null, problem: { code: 'fileMissing', message: path } }
  const tests = files.get(join(folder, `test_decode_${nameOf(codec)}.json`))
  const decoder: Decoder = {
    path,
    script,
    encoder: /\bfunction\s+encodeDownlink\b/.test(script),
    ...readExamples(tests === undefined ? [] : readJsonList(tests), 'expected', 'name'),
  }
  return { decoder, problem: null }
}

/** Broken examples are none: the decoder is what counts. */
function readJsonList(text: string): unknown[] {
  try {
    return listOf(JSON.parse(text))
  } catch {
    return []
  }
}

function readToml(text: string | undefined): Unknown | undefined {
  if (text === undefined) return undefined
  try {
    return recordOf(parse(text))
  } catch {
    // The folder name is then used as the maker.
    return undefined
  }
}
