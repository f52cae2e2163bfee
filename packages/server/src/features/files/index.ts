import type { Context } from '../../platform/context.ts'
import { dispositionOf } from '../../platform/http/disposition.ts'
import { os } from '../../platform/http/implement.ts'
import { contentOf, filesOf, removeFile, requireFile, uploadFile } from './files.ts'

export { contentOf, removeFile } from './files.ts'
export { identify, lookAt, nameFor } from './identify.ts'
export { fileObjects } from './objects.store.ts'
export { copyFiles, findFile, sizeOfFiles } from './store.ts'

/** Pictures and attachments of twins, devices and drivers. */
export function register(ctx: Context) {
  const { db } = ctx
  const routes = {
    upload: {
      post: os.upload.post.handler(({ input, context: { caller } }) => uploadFile(ctx, caller, input)),
      postV2: os.upload.postV2.handler(({ input, context: { caller } }) => uploadFile(ctx, caller, input)),
      list: os.upload.list.handler(({ input, context: { caller } }) => filesOf(db, caller, input)),
      file: os.upload.file.handler(async ({ input, context: { caller, headers } }) => {
        const file = await requireFile(db, caller, input.id)
        // Revalidated each time, since the caller may have lost the right to see it.
        const cached = { etag: `"${file.hash}"`, 'cache-control': 'private, no-cache' }
        if (String(headers['if-none-match'] ?? '').includes(cached.etag))
          return { status: 304 as const, headers: cached }
        return {
          headers: { ...cached, 'content-disposition': dispositionOf(file.name) },
          body: await contentOf(db, file),
        }
      }),
      delete: os.upload.delete.handler(async ({ input, context: { caller } }) => {
        await removeFile(ctx, caller, input.id)
        return { ok: true as const }
      }),
    },
  }
  return { routes }
}
