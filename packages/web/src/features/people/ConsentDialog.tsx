import { Alert, Box, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { describeError } from '../../lib/errors.ts'
import { logout, verifySession } from '../../lib/session.ts'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import classes from './auth.module.css'
import { TermsText } from './TermsText.tsx'

/** Focuses the scrollable area once it is mounted, so that the arrow keys scroll it. */
const focused = (element: HTMLElement | null) => element?.focus({ preventScroll: true })

/**
 * The terms of use, to be accepted before anything else; users who decline are signed out.
 * @param accountId the user's account
 */
export default function ConsentDialog({ accountId }: { accountId: number }) {
  const { t } = useTranslation()
  const terms = useQuery(api.terms.ofAccount.queryOptions({ input: { id: accountId } }))
  const accept = useMutation({
    mutationFn: async () => {
      await client.user.acceptTerms({ revision: terms.data?.revision ?? '' })
      await verifySession()
    },
    // The terms have changed since: the user has to read them again.
    onError: () => terms.refetch(),
  })
  const decline = useMutation({ mutationFn: logout })
  const text = terms.data?.text ?? null
  const wasExchanged = accept.isError && describeError(accept.error).code === 'VERSION_CONFLICT'
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('consent.title')}
      size="lg"
      centered
    >
      <Stack gap="md">
        <Text size="sm">
          {terms.data?.accountName
            ? t('consent.textOf', { account: terms.data.accountName })
            : t('consent.text')}
        </Text>
        {terms.isError && text === null ? (
          <>
            <ErrorText error={terms.error} />
            <Group>
              <Button variant="default" onClick={() => void terms.refetch()}>
                {t('common.retry')}
              </Button>
            </Group>
          </>
        ) : text === null ? (
          <Loading lines={6} />
        ) : (
          <Box
            ref={focused}
            component="section"
            className={classes.terms ?? ''}
            aria-label={t('consent.title')}
            tabIndex={0}
          >
            <TermsText text={text} />
          </Box>
        )}
        {accept.isError ? (
          <Alert color="red" variant="light" role="alert" title={t('consent.failed')}>
            {wasExchanged ? t('consent.exchanged') : describeError(accept.error).text}
          </Alert>
        ) : null}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" loading={decline.isPending} onClick={() => decline.mutate()}>
            {t('consent.decline')}
          </Button>
          <Button
            loading={accept.isPending}
            disabled={text === null || decline.isPending}
            onClick={() => accept.mutate()}
          >
            {t('consent.accept')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
