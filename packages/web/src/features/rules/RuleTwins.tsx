import type { Rule } from '@leitstand/contract/rules'
import { Drawer, Group, Pagination, SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconListSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { thingPath } from '../../lib/recent.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { ResultBadge } from './Results.tsx'
import classes from './rules.module.css'
import { useExceptTwin } from './useExceptTwin.ts'

const pageSize = 20
const refreshMs = 10_000

/** The twins of a rule for many, each with its last result, and those that it leaves out. */
export default function RuleTwins({
  rule,
  editable,
  onClose,
}: {
  rule: Rule
  editable: boolean
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 300)
  const [which, setWhich] = useState<'all' | 'fired' | 'except'>('all')
  const [page, setPage] = useState(1)
  const except = useExceptTwin()
  const list = useQuery({
    ...api.ddr.twins.queryOptions({
      input: {
        id: rule.id,
        offset: (page - 1) * pageSize,
        limit: pageSize,
        ...(search === '' ? {} : { search }),
        ...(which === 'except' ? { except: true } : {}),
        ...(which === 'fired' ? { results: ['fired', 'throttled'] as ('fired' | 'throttled')[] } : {}),
      },
    }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  const pages = Math.max(1, Math.ceil((list.data?.total ?? 0) / pageSize))
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={620}
      title={t('rules.many.twinsTitle', { title: rule.title })}
    >
      <Stack gap="sm">
        {rule.twins && rule.twins.beyond > 0 ? (
          <Text size="sm" c="var(--health-error)" role="alert">
            {t('rules.many.beyond', { count: rule.twins.beyond })}
          </Text>
        ) : null}
        <TextInput
          aria-label={t('rules.many.search')}
          placeholder={t('rules.many.search')}
          value={text}
          maxLength={200}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setPage(1)
          }}
        />
        <SegmentedControl
          aria-label={t('rules.many.which')}
          fullWidth
          value={which}
          data={(['all', 'fired', 'except'] as const).map((each) => ({
            value: each,
            label: t(`rules.many.shown.${each}`),
          }))}
          onChange={(next) => {
            setWhich(next as typeof which)
            setPage(1)
          }}
        />
        {list.isError && !list.data ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
        ) : !list.data ? (
          <Loading lines={8} />
        ) : list.data.items.length === 0 ? (
          <EmptyState icon={IconListSearch} title={t('rules.many.none')} compact />
        ) : (
          <ul className={classes.ruleTwins} aria-label={t('rules.many.twinsTitle', { title: rule.title })}>
            {list.data.items.map((twin) => (
              <li key={twin.dtwinId} className={classes.ruleTwin}>
                <div>
                  <RouterLink to={thingPath(twin.twinCategory, twin.dtwinId)} c="inherit">
                    {twin.twinTitle}
                  </RouterLink>
                  <Text size="xs" c="dimmed">
                    {twin.except ? (
                      t('rules.many.isExcept')
                    ) : twin.lastFiredAt ? (
                      <>
                        {t('rules.lastFired')} <RelativeTime time={twin.lastFiredAt} />
                      </>
                    ) : (
                      t('rules.neverFired')
                    )}
                  </Text>
                </div>
                <Group gap="sm" wrap="nowrap">
                  {twin.lastResult && !twin.except ? <ResultBadge result={twin.lastResult} /> : null}
                  <Switch
                    aria-label={t('rules.many.runsOn', { twin: twin.twinTitle })}
                    checked={!twin.except}
                    disabled={!editable || except.isPending}
                    onChange={() =>
                      except.mutate({ id: rule.id, dtwinId: twin.dtwinId, except: !twin.except })
                    }
                  />
                </Group>
              </li>
            ))}
          </ul>
        )}
        {pages > 1 ? (
          <Group justify="end">
            <Pagination
              size="sm"
              total={pages}
              value={Math.min(page, pages)}
              onChange={setPage}
              getControlProps={(control) => ({ 'aria-label': t(`list.paging.${control}`) })}
            />
          </Group>
        ) : null}
      </Stack>
    </Drawer>
  )
}
