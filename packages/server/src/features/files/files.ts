import { createHash } from 'node:crypto'
import { fileLimits, type StoredFile } from '@leitstand/contract/files'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { demandRoomForFiles } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import { identify } from './identify.ts'
import { kindWithFiles } from './kinds.ts'
import { deleteFile, findFile, insertFile, listFiles, readContent, type Target } from './store.ts'

/** The object a file is attached to, for its account and the activity log. */
type Owner = Awaited<ReturnType<typeof ownerForChange>>

/**
 * Stores a file and attaches it to an object.
 * @throws AppError of `identify` and `demandRoomForFiles`, FILE_TOO_MANY, NO_PERMISSION, and not found of the object
 */
export async function uploadFile(
  { db, clock, reader }: Context,
  caller: Caller,
  { file, role, ...target }: Target & { file: File; role: StoredFile['role'] },
): Promise<StoredFile> {
  // Checked first, so that files are only parsed for callers who may change the object.
  const { accountId } = await ownerForChange(db, caller, target)
  const bytes = Buffer.from(await file.arrayBuffer())
  const { type, name } = await identify(reader, { bytes, name: file.name, role, accountId })
  const hash = createHash('sha256').update(bytes).digest('hex')
  return db.transaction().execute(async (tx) => {
    // Locks the object, so that concurrent uploads cannot exceed the limit together.
    const owner = await ownerForChange(tx, caller, target)
    const there = await listFiles(tx, target)
    const replaced = role === 'attachment' ? undefined : there.find((each) => each.role === role)
    if (replaced) await deleteFile(tx, replaced.id)
    const attachments = there.filter((each) => each.role === 'attachment').length
    if (role === 'attachment' && attachments >= fileLimits.attachmentsMax)
      throw new AppError('FILE_TOO_MANY', { max: fileLimits.attachmentsMax })
    await demandRoomForFiles(tx, caller, owner.accountId, bytes.length)
    const about = { role, name, type, hash, bytes, createdBy: caller.name, accountId: owner.accountId }
    const id = await insertFile(tx, target, about, clock.now())
    await note(tx, caller, target, owner, { [role]: [replaced?.name ?? null, name] })
    const stored = await findFile(tx, id)
    if (!stored) throw new Error('a file was not stored')
    return stored
  })
}

/** @throws AppError not found of the object */
export async function filesOf(db: Executor, caller: Caller, target: Target) {
  const editable = await mayChange(db, caller, target)
  return { items: await listFiles(db, target), editable }
}

/** A file whose object the caller may see. @throws AppError FILE_NOT_FOUND */
export async function requireFile(db: Executor, caller: Caller, id: number): Promise<StoredFile> {
  const file = await findFile(db, id)
  if (!file) throw new AppError('FILE_NOT_FOUND', { id })
  try {
    await mayChange(db, caller, file)
  } catch (error) {
    if (error instanceof AppError && error.status === 404) throw new AppError('FILE_NOT_FOUND', { id })
    throw error
  }
  return file
}

/** @throws AppError FILE_NOT_FOUND when it was deleted in the meantime */
export async function contentOf(db: Executor, { id, name, type }: StoredFile): Promise<File> {
  const bytes = await readContent(db, id)
  if (!bytes) throw new AppError('FILE_NOT_FOUND', { id })
  return new File([new Uint8Array(bytes)], name, { type })
}

/** @throws AppError FILE_NOT_FOUND, NO_PERMISSION */
export async function removeFile({ db }: Context, caller: Caller, id: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const file = await requireFile(tx, caller, id)
    const owner = await ownerForChange(tx, caller, file)
    if (!(await deleteFile(tx, id))) throw new AppError('FILE_NOT_FOUND', { id })
    await note(tx, caller, file, owner, { [file.role]: [file.name, null] })
  })
}

/** Locks the object until the transaction ends. @throws AppError not found, NO_PERMISSION */
function ownerForChange(tx: Executor, caller: Caller, { object, objectId }: Target) {
  return kindWithFiles(object).files.lockForChange(tx, caller, objectId)
}

/** Whether the caller may change an object they see. @throws AppError not found */
function mayChange(db: Executor, caller: Caller, { object, objectId }: Target): Promise<boolean> {
  return kindWithFiles(object).files.mayChange(db, caller, objectId)
}

function note(tx: Executor, caller: Caller, { object }: Target, owner: Owner, changes: object) {
  return recordActivity(tx, caller, {
    action: 'update',
    subject: kindWithFiles(object).subject,
    objectId: owner.id,
    objectTitle: owner.title,
    accountId: owner.accountId,
    changes,
  })
}
