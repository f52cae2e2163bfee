/**
 * Finds the devices of a repository. Runs in the reader process, because uploaded archives and YAML are
 * untrusted.
 */
import { limits } from '@leitstand/contract/common'
import { importLimits } from '@leitstand/contract/driverImport'
import { AppError } from '../../../platform/errors.ts'
import { storableText } from '../../../platform/storable.ts'
import { readArchive } from './archive.ts'
import { findChirpstackDevices, isChirpstackDevice } from './chirpstack.ts'
import { type FoundDevice, foundLimits } from './found.ts'
import { findTtnDevices, isTtnDevice } from './ttn.ts'

/**
 * The devices of an archive, each a part of the answer.
 * @throws AppError IMPORT_ARCHIVE_UNREADABLE, IMPORT_ARCHIVE_TOO_LARGE, IMPORT_NOTHING_FOUND, IMPORT_TOO_MANY
 */
export default async function* read(bytes: Uint8Array): AsyncGenerator<FoundDevice> {
  const files = await readArchive(bytes)
  // Counted before the first of them is read.
  const found = [...files].filter(([path, text]) => isTtnDevice(path, text) || isChirpstackDevice(path, text))
  if (found.length === 0) throw new AppError('IMPORT_NOTHING_FOUND')
  const max = importLimits.devicesMax
  if (found.length > max) throw new AppError('IMPORT_TOO_MANY', { found: found.length, max })
  for (const device of [...findTtnDevices(files), ...findChirpstackDevices(files)]) yield bounded(device)
}

/** What is longer than anybody writes is cut: the server takes no longer answer. */
function bounded({ decoder, problem, ...device }: FoundDevice): FoundDevice {
  const path = cut(device.path, foundLimits.pathCharsMax)
  if (decoder !== null && storableText(decoder.script) !== decoder.script)
    return {
      ...device,
      path,
      decoder: null,
      problem: { code: 'unreadable', message: cut(decoder.path, 500) },
    }
  return {
    ...device,
    path,
    manufacturer: cut(device.manufacturer, 200),
    model: cut(device.model, 200),
    // One character more than a script may have: the importer says that it is too long.
    decoder: decoder && {
      ...decoder,
      path: cut(decoder.path, foundLimits.pathCharsMax),
      script: cut(decoder.script, limits.scriptLengthMax + 1),
    },
    problem: problem && { ...problem, message: cut(problem.message, foundLimits.messageCharsMax) },
  }
}

function cut(text: string, length: number): string {
  return storableText(text.slice(0, length))
}
