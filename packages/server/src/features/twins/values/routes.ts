import { os } from '../../../platform/http/implement.ts'
import { correctValue, deleteValues } from './corrections.ts'
import type { ValueTools } from './pages.ts'
import { uploadAcross } from './upload/across.ts'
import { uploadValues } from './upload/upload.ts'

/** The operations of stored values. */
export function valueRoutes(tools: ValueTools) {
  return {
    correct: os.stateValue.correct.handler(async ({ input, context: { caller } }) => ({
      job: await correctValue(tools, caller, input),
    })),
    upload: os.stateValue.upload.handler(({ input, context: { caller } }) =>
      uploadValues(tools, caller, input),
    ),
    uploadAcross: os.stateValue.uploadAcross.handler(({ input, context: { caller } }) =>
      uploadAcross(tools, caller, input),
    ),
    delete: os.stateValue.delete.handler(({ input, context: { caller } }) =>
      deleteValues(tools, caller, input),
    ),
  }
}
