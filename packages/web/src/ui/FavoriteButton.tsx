import { ActionIcon, Tooltip } from '@mantine/core'
import { IconStar, IconStarFilled } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../lib/api.ts'
import type { RecentKind } from '../lib/recent.ts'
import { Icon } from './Icon.tsx'
import { notifyError } from './notify.ts'

/** The star of a thing: on the user's start page or not. */
export function FavoriteButton({ kind, id, size = 34 }: { kind: RecentKind; id: number; size?: number }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const list = useQuery(api.favorite.list.queryOptions({ staleTime: 60_000 }))
  const known = list.data?.items.find((entry) => entry.type === kind && entry.objectId === id)
  const options = {
    onError: (error: unknown) => notifyError(error),
    onSettled: () => cache.invalidateQueries({ queryKey: api.favorite.key() }),
  }
  const add = useMutation(api.favorite.create.mutationOptions(options))
  const remove = useMutation(api.favorite.delete.mutationOptions(options))
  const label = t(known ? 'favorite.remove' : 'favorite.add')
  return (
    <Tooltip label={label}>
      <ActionIcon
        size={size}
        variant="default"
        aria-label={label}
        aria-pressed={known !== undefined}
        disabled={!list.data}
        loading={add.isPending || remove.isPending}
        onClick={() => (known ? remove.mutate({ id: known.id }) : add.mutate({ type: kind, objectId: id }))}
        {...(known ? { c: 'var(--accent)' } : {})}
      >
        <Icon of={known ? IconStarFilled : IconStar} />
      </ActionIcon>
    </Tooltip>
  )
}
