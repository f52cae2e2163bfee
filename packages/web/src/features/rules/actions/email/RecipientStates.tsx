import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../../lib/api.ts'
import { ErrorText } from '../../../../ui/feedback/ErrorText.tsx'
import { notifySuccess } from '../../../../ui/feedback/notify.ts'

interface RecipientStatesProps {
  /** the stored rule; recipients of a draft are asked when it is saved */
  ruleId: number
  addresses: readonly string[]
}

/** Recipients that get no mails yet, or no longer do, and a button to ask them again. */
export function RecipientStates({ ruleId, addresses }: RecipientStatesProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const options = api.ddr.get.queryOptions({ input: { id: ruleId } })
  const rule = useQuery(options)
  const ask = useMutation({
    mutationFn: (address: string) => client.ddr.askRecipient({ id: ruleId, address }),
    onSuccess: (changed, address) => {
      cache.setQueryData(options.queryKey, changed)
      notifySuccess(t('rules.recipientAsked', { address }))
    },
  })
  const shown = new Set(addresses.map((address) => address.trim().toLowerCase()))
  const waiting = (rule.data?.recipients ?? []).filter(
    ({ address, state }) => state !== 'confirmed' && shown.has(address),
  )
  return (
    <>
      {waiting.map(({ address, state }) => (
        <Group key={address} justify="space-between" gap={8}>
          <Text size="xs" c={state === 'declined' ? 'var(--health-error)' : 'dimmed'}>
            {t(`rules.recipientStates.${state === 'declined' ? 'declined' : 'unconfirmed'}`, { address })}
          </Text>
          {state === 'unconfirmed' ? (
            <Button
              size="compact-xs"
              variant="subtle"
              loading={ask.isPending && ask.variables === address}
              onClick={() => ask.mutate(address)}
            >
              {t('rules.askRecipient')}
            </Button>
          ) : null}
        </Group>
      ))}
      {ask.isError ? <ErrorText error={ask.error} /> : null}
    </>
  )
}
