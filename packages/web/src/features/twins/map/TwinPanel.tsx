import type { Twin } from '@leitstand/contract/twins'
import { CloseButton, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { twinPath } from '../kinds.ts'
import { StateTiles } from '../states/StateTiles.tsx'
import classes from './map.module.css'

/** The twin that was selected on the map: its values, with history and input. */
export function TwinPanel({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation()
  const query = useQuery(api.digitaltwin.get.queryOptions({ input: { id } }))
  const twin = query.data as Twin | undefined
  const host = useRef<HTMLElement>(null)
  // The panel replaces the list that had the focus; on a phone it is below the map.
  useEffect(() => {
    host.current?.focus({ preventScroll: true })
    host.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <section
      ref={host}
      tabIndex={-1}
      className={classes.panel}
      aria-label={twin?.title ?? t('twins.map.chosen')}
    >
      <Group justify="space-between" wrap="nowrap" align="flex-start" mb={10}>
        {twin ? (
          <RouterLink to={twinPath(id)} fw={600} c="inherit">
            {twin.title}
          </RouterLink>
        ) : (
          <span />
        )}
        <CloseButton aria-label={t('twins.map.close')} onClick={onClose} />
      </Group>
      {query.isLoadingError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
      ) : null}
      {query.isPending ? <Loading lines={4} /> : null}
      {twin ? <StateTiles objectId={id} title={twin.title} editable={twin.editable} plain /> : null}
    </section>
  )
}
