import type { StoredFile } from '@leitstand/contract/files'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { client } from '../../lib/api.ts'

/** The content of a file. */
export async function loadFile(id: number): Promise<Blob> {
  const answer = await client.upload.file({ id })
  if (!('body' in answer) || !(answer.body instanceof Blob)) throw new Error('the server sent no file')
  return answer.body
}

/** An object URL for a picture. The content of an id never changes, so it is loaded once. */
export function usePicture(file: Pick<StoredFile, 'id'> | undefined) {
  const query = useQuery({
    queryKey: ['picture', file?.id],
    queryFn: () => loadFile(file?.id ?? 0),
    enabled: file !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [url, setUrl] = useState<string>()
  const { data } = query
  useEffect(() => {
    if (!data) return setUrl(undefined)
    const made = URL.createObjectURL(data)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [data])
  return { url, error: query.error }
}
