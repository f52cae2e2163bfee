import { Domain } from '@leitstand/contract/domains'
import { Button, Stack, TextInput } from '@mantine/core'
import { IconPlus, IconWorld } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { describeError } from '../../lib/errors.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { useFieldFaults } from '../../ui/forms/useFieldFaults.ts'
import { Section } from '../../ui/page/Section.tsx'
import classes from './accounts.module.css'
import { DomainCard } from './DomainCard.tsx'
import type { Account } from './queries.ts'

/** Domains under which the console shows this account's branding, and how to prove their ownership. */
export function DomainsTab({ account }: { account: Account }) {
  const { t } = useTranslation()
  const found = useQuery(api.tenant.listDomains.queryOptions({ input: { id: account.id } }))
  return (
    <Stack gap="md">
      <Section title={t('domains.title')} description={t('domains.text')}>
        <ClaimForm account={account} />
      </Section>
      {found.isLoadingError ? <ErrorState error={found.error} onRetry={() => void found.refetch()} /> : null}
      {found.isPending ? <Loading lines={4} /> : null}
      {found.data?.items.length === 0 ? (
        <EmptyState
          icon={IconWorld}
          title={t('domains.none')}
          text={t('domains.noneText')}
          order={3}
          compact
        />
      ) : null}
      {found.data?.items.map((domain) => (
        <DomainCard key={domain.domain} accountId={account.id} domain={domain} />
      ))}
    </Stack>
  )
}

function ClaimForm({ account }: { account: Account }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const invalid = { domain: t('domains.invalid') }
  const [text, setText] = useState('')
  const { faults, attempt, place, refuse, restart } = useFieldFaults(
    () => ({ domain: text }),
    ({ domain }) => (domain.trim() === '' || Domain.safeParse(domain).success ? {} : invalid),
  )
  const [unknown, setUnknown] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const claim = async (acceptUnknown: boolean) => {
    if (Object.keys(attempt()).length > 0) return
    setBusy(true)
    try {
      const claimed = await client.tenant.claimDomain({ id: account.id, domain: text, acceptUnknown })
      setText('')
      restart({ domain: '' })
      notifySuccess(t('domains.claimedNote', { domain: claimed.domain }))
      await cache.invalidateQueries({ queryKey: api.tenant.listDomains.key() })
    } catch (error) {
      const { code, text: told } = describeError(error)
      if (code === 'TENANT_DOMAIN_UNKNOWN') setUnknown(text)
      else if (place(error)) refuse({ domain: told })
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        void claim(false)
      }}
    >
      <div className={classes.line}>
        <TextInput
          label={t('domains.field')}
          placeholder={t('domains.placeholder')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={faults.domain}
          autoCapitalize="none"
          spellCheck={false}
        />
        <Button
          type="submit"
          variant="default"
          leftSection={<Icon of={IconPlus} />}
          loading={busy}
          disabled={text.trim() === ''}
        >
          {t('domains.claim')}
        </Button>
      </div>
      <ConfirmDialog
        opened={unknown !== null}
        title={t('accounts.unknownTitle')}
        text={t('accounts.unknownText', { domains: unknown ?? '' })}
        confirmLabel={t('domains.unknownConfirm')}
        onConfirm={() => {
          setUnknown(null)
          void claim(true)
        }}
        onCancel={() => setUnknown(null)}
      />
    </form>
  )
}
