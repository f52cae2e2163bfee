import { IconStar, IconStarOff } from '@tabler/icons-react'
import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import type { RecentKind } from '../../lib/recentEntries.ts'
import { notifyError, notifySuccess } from '../feedback/notify.ts'
import type { RowAction } from '../list/types.ts'

/**
 * The star in the menus of a list's rows: a function of the row that stays the same until the favourites change.
 * @param list key of the list, the same array each time; it is read again, since it may show favourites only
 */
export function useFavoriteAction(type: RecentKind, list: QueryKey) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { data } = useQuery(api.favorite.list.queryOptions())
  return useCallback(
    ({ id: objectId, title }: { id: number; title: string }): RowAction => {
      const known = data?.items.find((each) => each.type === type && each.objectId === objectId)
      const toggle = async () => {
        try {
          if (known) await client.favorite.delete({ id: known.id })
          else await client.favorite.create({ type, objectId })
          notifySuccess(t(known ? 'favorite.removedThing' : 'favorite.addedThing', { title }))
          await Promise.all([
            cache.invalidateQueries({ queryKey: api.favorite.key() }),
            cache.invalidateQueries({ queryKey: list }),
          ])
        } catch (error) {
          notifyError(error)
        }
      }
      return {
        label: t(known ? 'favorite.remove' : 'favorite.add'),
        icon: known ? IconStarOff : IconStar,
        onClick: () => void toggle(),
      }
    },
    [t, cache, data, type, list],
  )
}
