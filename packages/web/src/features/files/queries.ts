import type { FileObject } from '@leitstand/contract/files'
import type { QueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'

/** The object that files are attached to. */
export interface Target {
  object: FileObject
  objectId: number
}

export const filesOf = (target: Target) => api.upload.list.queryOptions({ input: target })

export function invalidateFiles(cache: QueryClient, target: Target): Promise<void> {
  return cache.invalidateQueries({ queryKey: api.upload.list.key({ input: target }) })
}
