import { copyLimits } from '@leitstand/contract/copies'
import { os } from '../../platform/http/implement.ts'
import { contentsOf, twinsToCopy } from './contents.ts'
import { duplicateTwin } from './duplicate.ts'
import { previewSync, type SyncTools, startSync } from './synchronize.ts'

/** The operations on copies of twins. */
export function copyRoutes(tools: SyncTools) {
  const { db } = tools.ctx
  return {
    contents: os.twinCopy.contents.handler(async ({ input, context: { caller } }) => {
      const twins = await twinsToCopy(db, caller, input)
      const ids = twins.map(({ id }) => id)
      const { twinsMax } = copyLimits
      return { twins: twins.length, twinsMax, ...(await contentsOf(db, caller, ids)) }
    }),
    duplicate: os.twinCopy.duplicate.handler(({ input, context: { caller } }) => {
      const { id, title, parentId, accountId, ...parts } = input
      return duplicateTwin(tools, caller, { id, title, parentId, accountId, parts })
    }),
    synchronizePreview: os.twinCopy.synchronizePreview.handler(({ input, context: { caller } }) => {
      const { id, selection, offset, limit, ...parts } = input
      return previewSync(db, caller, { id, selection, parts }, { offset, limit })
    }),
    synchronize: os.twinCopy.synchronize.handler(({ input, context: { caller } }) => {
      const { id, selection, ...parts } = input
      return startSync(tools, caller, { id, selection, parts })
    }),
  }
}
