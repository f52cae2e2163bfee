import type { StoredFile } from '@leitstand/contract/files'
import { type Kind, kinds, type WithFiles } from '../objects/index.ts'

/** Kinds of objects that can have files. */
export function kindsWithFiles(): (Kind & { files: WithFiles; subject: string })[] {
  return kinds().flatMap(([, kind]) => {
    const { files, subject } = kind
    return files && subject !== null ? [{ ...kind, files, subject }] : []
  })
}

export function kindWithFiles(object: StoredFile['object']) {
  const found = kindsWithFiles().find(({ files }) => files.as === object)
  if (!found) throw new Error(`${object} has no files`)
  return found
}
