import { randomBytes } from 'node:crypto'
import type { FileTarget, FileTargetKind } from '@leitstand/contract/fileTargets'
import { s3 } from './kinds/s3/index.ts'
import { sftp } from './kinds/sftp/index.ts'
import { webdav } from './kinds/webdav/index.ts'
import { type OutgoingFile, TargetError, type TargetKind, type TargetTools } from './types.ts'

export { readFingerprint } from './kinds/sftp/index.ts'
export { type OutgoingFile, TargetError, type TargetTools } from './types.ts'

const kinds: { [K in FileTargetKind]: TargetKind<K> } = { sftp, s3, webdav }

/**
 * Stores a file on a server that a user has entered.
 * @param secret the password, private key or secret access key; empty when the target needs none
 * @throws TargetError
 */
export async function sendFile(
  tools: TargetTools,
  target: FileTarget,
  secret: string,
  file: OutgoingFile,
): Promise<void> {
  await (kinds[target.kind] as TargetKind).send(tools, target, secret, file)
}

/**
 * Tries a target: stores a small file and deletes it again.
 * @returns the name of the file when it could not be deleted, because this user may only write
 * @throws TargetError
 */
export async function checkTarget(
  tools: TargetTools,
  target: FileTarget,
  secret: string,
): Promise<{ left: string | null }> {
  const kind = kinds[target.kind] as TargetKind
  const name = `test-${randomBytes(6).toString('hex')}.txt`
  const bytes = Buffer.from('Files can be stored here.\n')
  await kind.send(tools, target, secret, {
    name,
    type: 'text/plain',
    size: bytes.length,
    content: async function* () {
      yield bytes
    },
  })
  try {
    await kind.remove(tools, target, secret, name)
    return { left: null }
  } catch (error) {
    if (error instanceof TargetError && error.failure === 'refused') return { left: name }
    throw error
  }
}
