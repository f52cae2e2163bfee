import { ActionIcon, Tooltip } from '@mantine/core'
import { IconStar, IconStarFilled } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import type { RecentKind } from '../../lib/recentEntries.ts'
import { notifyError } from '../feedback/notify.ts'
import { notifyUndo } from '../feedback/notifyUndo.ts'
import { Icon } from './Icon.tsx'

interface FavoriteStarProps {
  type: RecentKind
  objectId: number
  /** of the object, where a screen has several stars */
  title?: string
}

/** The star of an object: adds it to the favourites of the home page or removes it. */
export function FavoriteStar({ type, objectId, title }: FavoriteStarProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const list = useQuery(api.favorite.list.queryOptions())
  const known = list.data?.items.find((each) => each.type === type && each.objectId === objectId)
  const set = async (isWanted: boolean) => {
    const { items } = await client.favorite.list()
    const stored = items.find((each) => each.type === type && each.objectId === objectId)
    if (stored && !isWanted) await client.favorite.delete({ id: stored.id })
    if (!stored && isWanted) await client.favorite.create({ type, objectId })
  }
  const toggle = useMutation({
    mutationFn: () => set(!known),
    onSuccess: () =>
      notifyUndo(t(known ? 'favorite.removed' : 'favorite.added'), async () => {
        await set(known !== undefined)
        await cache.invalidateQueries({ queryKey: api.favorite.key() })
      }),
    onError: (error) => notifyError(error),
    onSettled: () => cache.invalidateQueries({ queryKey: api.favorite.key() }),
  })
  const label = t(known ? 'favorite.remove' : 'favorite.add')
  return (
    <Tooltip label={label}>
      <ActionIcon
        size={34}
        variant="default"
        aria-label={title === undefined ? label : `${label}: ${title}`}
        aria-pressed={known !== undefined}
        loading={toggle.isPending}
        disabled={!list.data}
        onClick={() => toggle.mutate()}
      >
        <Icon of={known ? IconStarFilled : IconStar} size={16} />
      </ActionIcon>
    </Tooltip>
  )
}
