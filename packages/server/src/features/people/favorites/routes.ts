import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { os } from '../../../platform/http/implement.ts'
import { userIdOf } from '../person.ts'
import {
  countFavorites,
  deleteFavorite,
  favoritesMax,
  forgetGone,
  insertFavorite,
  isVisible,
  listFavorites,
} from './store.ts'

export function favoriteRoutes({ db }: Context) {
  return {
    list: os.favorite.list.handler(async ({ context: { caller } }) => ({
      items: await listFavorites(db, caller),
    })),
    create: os.favorite.create.handler(async ({ input, context: { caller } }) => {
      const { type, objectId } = input
      if (!(await isVisible(db, caller, type, objectId))) throw new AppError('NOT_FOUND', { type, objectId })
      const userId = userIdOf(caller)
      if ((await countFavorites(db, userId)) >= favoritesMax) await forgetGone(db, caller)
      if ((await countFavorites(db, userId)) >= favoritesMax) {
        throw new AppError('VALIDATION_ERROR', { favoritesMax }, `At most ${favoritesMax} favourites`)
      }
      await insertFavorite(db, userId, type, objectId)
      const created = (await listFavorites(db, caller)).find(
        (one) => one.type === type && one.objectId === objectId,
      )
      if (!created) throw new AppError('NOT_FOUND', { type, objectId })
      return created
    }),
    delete: os.favorite.delete.handler(async ({ input, context: { caller } }) => {
      if (!(await deleteFavorite(db, userIdOf(caller), input.id)))
        throw new AppError('NOT_FOUND', { id: input.id })
      return { ok: true as const }
    }),
  }
}
