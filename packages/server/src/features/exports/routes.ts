import { streamOf } from '../../platform/csv.ts'
import { AppError } from '../../platform/errors.ts'
import { dispositionOf } from '../../platform/http/disposition.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import { forgetFile } from '../jobs/index.ts'
import { madeFile } from './file.ts'
import { deletePieces } from './pieces.store.ts'
import { countObjects, listKeys } from './selection.ts'
import { type StartTools, startBulk, startOne } from './start.ts'

const keysShown = 500

/** Starting exports, and their files. */
export function exportRoutes(tools: StartTools) {
  const {
    ctx: { db, clock },
    jobs,
  } = tools

  return {
    one: os.exporting.one.handler(({ input, context: { caller } }) => startOne(tools, caller, input)),
    bulk: os.exporting.bulk.handler(({ input, context: { caller } }) => startBulk(tools, caller, input)),
    preview: os.exporting.preview.handler(async ({ input, context: { caller } }) => {
      const now = clock.now()
      return {
        objects: await countObjects(db, caller, input.selection, now),
        keys: await listKeys(db, caller, input.selection, { now, limit: keysShown }),
      }
    }),
    file: os.exporting.file.handler(async ({ input, context: { caller } }) => {
      const job = await jobs.requireOwn(caller, input.id)
      if (!job.file) throw new AppError('EXPORT_NO_FILE', { id: job.id })
      const { name, type, content } = madeFile(db, job.id, job.file)
      return {
        headers: { 'content-type': type, 'content-disposition': dispositionOf(name) },
        body: streamOf(content()),
      }
    }),
    deleteFile: os.exporting.deleteFile.handler(async ({ input, context: { caller } }) => {
      const job = await jobs.requireOwn(caller, input.id)
      await db.transaction().execute(async (tx) => {
        if (!(await forgetFile(tx, job.id))) throw new AppError('EXPORT_NO_FILE', { id: job.id })
        await deletePieces(tx, job.id)
        await recordActivity(tx, caller, {
          action: 'delete',
          subject: 'Export',
          objectId: null,
          objectTitle: job.title,
          accountId: job.accountId,
          changes: { backgroundJob: job.id, file: job.file?.name ?? null },
        })
      })
      return { ok: true as const }
    }),
  }
}
