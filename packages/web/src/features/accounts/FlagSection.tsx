import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import type { AccountProps } from './slots.ts'

type Flag = Awaited<ReturnType<typeof client.flags.list>>['items'][number]
const choices = ['inherit', 'on', 'off'] as const
type Choice = (typeof choices)[number]

/** What the console offers in an account, for administrators of the installation; saved immediately. */
export default function FlagSection({ account: { id } }: AccountProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const found = useQuery(api.flags.list.queryOptions({ input: { id } }))
  const set = useMutation({
    mutationFn: ({ flag, choice }: { flag: Flag['flag']; choice: Choice }) =>
      client.flags.set({ id, flag, enabled: choice === 'inherit' ? null : choice === 'on' }),
    onSuccess: (saved) => {
      cache.setQueryData(api.flags.list.queryKey({ input: { id } }), saved)
      notifySuccess(t('common.saved'))
    },
    onError: (error) => notifyError(error),
    onSettled: () => cache.invalidateQueries({ queryKey: api.flags.key() }),
  })
  return (
    <Section id="account-flags" title={t('accounts.section.flags')} description={t('accounts.flagsHint')}>
      {found.isLoadingError ? (
        <ErrorState error={found.error} compact onRetry={() => void found.refetch()} />
      ) : found.data ? (
        <Stack gap="md">
          {found.data.items.map((flag) => (
            <Row
              key={flag.flag}
              flag={flag}
              disabled={set.isPending}
              onChange={(choice) => set.mutate({ flag: flag.flag, choice })}
            />
          ))}
        </Stack>
      ) : (
        <Loading lines={3} />
      )}
    </Section>
  )
}

interface RowProps {
  flag: Flag
  disabled: boolean
  onChange: (choice: Choice) => void
}

function Row({ flag, disabled, onChange }: RowProps) {
  const { t } = useTranslation()
  const chosen: Choice = flag.own === null ? 'inherit' : flag.own ? 'on' : 'off'
  const name = t(`accounts.flag.${flag.flag}`)
  return (
    <Stack gap={4}>
      <Text size="sm" fw={550}>
        {name}
      </Text>
      <SegmentedControl
        aria-label={name}
        data={choices.map((value) => ({
          value,
          label:
            value === 'inherit'
              ? t(flag.inherited ? 'accounts.flagChoice.inheritOn' : 'accounts.flagChoice.inheritOff')
              : t(`accounts.flagChoice.${value}`),
        }))}
        value={chosen}
        onChange={(value) => onChange(value as Choice)}
        disabled={disabled}
        style={{ alignSelf: 'start' }}
      />
    </Stack>
  )
}
