import { Button, Stack, Text, Title } from '@mantine/core'
import { IconClockHour4, IconRefresh } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { StatusBadge, type Tone } from '../../ui/display/Badges.tsx'
import { CopyButton } from '../../ui/display/CopyButton.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { notifySuccess, notifyWarning } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import classes from './accounts.module.css'
import type { AccountDomain } from './queries.ts'
import { stateText } from './texts.ts'

const tones: Record<AccountDomain['state'], Tone> = {
  waiting: 'unknown',
  proven: 'ok',
  failing: 'warning',
  lapsed: 'error',
}

/** One domain of an account: its status, the next step and the result of the last check. */
export function DomainCard({ accountId, domain }: { accountId: number; domain: AccountDomain }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [releasing, setReleasing] = useState(false)
  const [open, setOpen] = useState(false)
  const { state, method, checked } = domain
  const reload = () => cache.invalidateQueries({ queryKey: api.tenant.listDomains.key() })
  const check = useMutation({
    mutationFn: () => client.tenant.checkDomain({ id: accountId, domain: domain.domain }),
    onSuccess: ({ state: now }) => {
      if (now === 'proven') notifySuccess(t('domains.provenNote', { domain: domain.domain }))
      else notifyWarning(t('domains.notFoundNote'))
    },
    onSettled: reload,
  })
  const isSettled = state === 'proven' && method !== null
  return (
    <Section
      title={<span className={classes.domain}>{domain.domain}</span>}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<Icon of={IconRefresh} />}
            loading={check.isPending}
            onClick={() => check.mutate()}
          >
            {t('domains.check')}
          </Button>
          <Button variant="default" onClick={() => setReleasing(true)}>
            {t('domains.release')}
          </Button>
        </>
      }
    >
      <Stack gap="sm">
        <div className={classes.domainState}>
          <StatusBadge
            tone={tones[state]}
            label={t(`domains.state.${state}`)}
            icon={state === 'waiting' ? IconClockHour4 : undefined}
          />
          <Text size="sm">{stateText(domain, t)}</Text>
        </div>
        {check.isError ? <ErrorText error={check.error} /> : null}
        {isSettled ? (
          <Button
            variant="subtle"
            size="compact-sm"
            className={classes.start ?? ''}
            onClick={() => setOpen(!open)}
          >
            {t(open ? 'domains.hideProof' : 'domains.showProof')}
          </Button>
        ) : null}
        {isSettled && !open ? null : <Proofs domain={domain} />}
        {checked === null ? null : (
          <Text size="sm" c="dimmed">
            {t('domains.checked')} <RelativeTime time={checked.at} />
          </Text>
        )}
      </Stack>
      <ConfirmDanger
        opened={releasing}
        onClose={() => setReleasing(false)}
        title={t('domains.releaseTitle', { domain: domain.domain })}
        text={t(
          state === 'proven' || state === 'failing' ? 'domains.releaseText' : 'domains.releaseWaitingText',
        )}
        confirmLabel={t('domains.release')}
        onConfirm={async () => {
          await client.tenant.releaseDomain({ id: accountId, domain: domain.domain })
          await reload()
        }}
      />
    </Section>
  )
}

/** The two ways to prove ownership of a domain, with the result of the last check. */
function Proofs({ domain }: { domain: AccountDomain }) {
  const { t } = useTranslation()
  const { record, file, checked } = domain
  return (
    <div className={classes.proofs}>
      <Proof title={t('domains.dns.title')} result={checked && t(`domains.dns.result.${checked.dns}`)}>
        <Copied label={t('domains.dns.name')} value={record.name} />
        <Copied label={t('domains.dns.value')} value={record.value} />
      </Proof>
      <Proof title={t('domains.file.title')} result={checked && t(`domains.file.result.${checked.file}`)}>
        <Copied label={t('domains.file.url')} value={file.url} />
        <Copied label={t('domains.file.content')} value={file.content} />
      </Proof>
    </div>
  )
}

function Proof({ title, result, children }: { title: string; result: string | null; children: ReactNode }) {
  return (
    <div className={classes.proof}>
      <Title order={3}>{title}</Title>
      {children}
      {result === null ? null : (
        <Text size="sm" c="dimmed">
          {result}
        </Text>
      )}
    </div>
  )
}

function Copied({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <div className={classes.hint}>{label}</div>
      <div className={classes.copied}>
        <code>{value}</code>
        <CopyButton value={value} label={label} />
      </div>
    </div>
  )
}
