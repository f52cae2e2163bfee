import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { AuthFrame, Failure } from '../people/index.ts'

/** Target of links in mails to external recipients: confirm or unsubscribe. */
export default function RuleMailPage() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [search] = useUrlSearch()
  const token = one(search, 'token') ?? ''
  const options = api.ruleMail.question.queryOptions({ input: { token }, retry: false, staleTime: 0 })
  const question = useQuery(options)
  const answer = useMutation({
    mutationFn: (accept: boolean) => client.ruleMail.answer({ token, accept }),
    onSuccess: (answered) => cache.setQueryData(options.queryKey, answered),
  })
  const { data } = question
  if (question.isError) {
    return (
      <AuthFrame title={t('screens.ruleMail.title')}>
        <Failure error={question.error} />
      </AuthFrame>
    )
  }
  if (!data) {
    return (
      <AuthFrame title={t('screens.ruleMail.title')}>
        <Loading lines={3} />
      </AuthFrame>
    )
  }
  const names = { address: data.address, account: data.accountName }
  const text = data.state === 'unconfirmed' ? t('ruleMail.asks', names) : t(`ruleMail.${data.state}`, names)
  return (
    <AuthFrame title={t('screens.ruleMail.title')}>
      <Stack gap="md">
        {answer.isError ? <Failure error={answer.error} /> : null}
        <Text size="sm" role="status">
          {text}
        </Text>
        <Group grow>
          {data.mayAccept ? (
            <Button size="md" loading={answer.isPending} onClick={() => answer.mutate(true)}>
              {t('ruleMail.accept')}
            </Button>
          ) : null}
          {data.state === 'declined' ? null : (
            <Button
              size="md"
              variant="default"
              loading={answer.isPending}
              onClick={() => answer.mutate(false)}
            >
              {t(data.state === 'confirmed' ? 'ruleMail.stop' : 'ruleMail.decline')}
            </Button>
          )}
        </Group>
      </Stack>
    </AuthFrame>
  )
}
