import type { contract } from '@leitstand/contract'
import { Button, Drawer, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import type { InferContractRouterOutputs } from '@orpc/contract'
import { IconClock, IconDownload, IconMail, IconMailOff, IconSend } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatBytes, formatTime } from '../../lib/format.ts'
import { tracePath } from '../../lib/trace.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Fact } from '../../ui/display/Fact.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { download } from '../../ui/list/csv.ts'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { ListColumn } from '../../ui/list/types.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import classes from './mails.module.css'

type Mail = InferContractRouterOutputs<typeof contract>['mail']['list']['items'][number]

const statuses = ['queued', 'sent', 'failed', 'kept'] as const
const looks = {
  queued: { tone: 'unknown', icon: IconClock },
  sent: { tone: 'ok', icon: IconSend },
  failed: { tone: 'error', icon: undefined },
  partly: { tone: 'error', icon: undefined },
  repeated: { tone: 'ok', icon: IconSend },
  uncertain: { tone: 'warning', icon: undefined },
  kept: { tone: 'warning', icon: IconMailOff },
} as const

/** `partly`: some recipients were refused; `repeated`: perhaps arrived twice; `uncertain`: perhaps not at all. */
export function statusOf({ status, refused, doubt }: Pick<Mail, 'status' | 'refused' | 'doubt'>) {
  if (status === 'sent' && refused.length > 0) return 'partly'
  if (status === 'sent' && doubt === 'twice') return 'repeated'
  return status === 'failed' && doubt === 'arrived' ? 'uncertain' : status
}

const refusalText = ({ address, reason }: Mail['refused'][number]) =>
  [address, reason].filter(Boolean).join(': ')

/** Mails that were sent, or stored because no mail server is configured; each can be read here. */
export function MailsTab() {
  const { t } = useTranslation()
  const [open, setOpen] = useState<Mail | null>(null)
  return (
    <>
      <ListTable<Mail>
        name="mails"
        columns={columns(t, setOpen)}
        query={(params) =>
          api.mail.list.queryOptions({
            input: {
              offset: params.offset,
              limit: params.limit,
              search: params.search,
              status: statuses.find((status) => status === params.filters.status?.[0]),
            },
            refetchInterval: 15_000,
          })
        }
        rowKey={(row) => row.id}
        filters={[
          {
            key: 'status',
            label: t('mails.field.status'),
            multiple: false,
            options: statuses.map((status) => ({ value: status, label: t(`mails.status.${status}`) })),
          },
        ]}
        searchPlaceholder={t('mails.search')}
        empty={<EmptyState icon={IconMail} title={t('mails.none')} text={t('mails.noneText')} />}
      />
      <Drawer
        opened={open !== null}
        onClose={() => setOpen(null)}
        position="right"
        size="lg"
        title={open?.subject}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {open ? <Details mail={open} /> : null}
      </Drawer>
    </>
  )
}

export function columns(t: TFunction, onOpen: (mail: Mail) => void): ListColumn<Mail>[] {
  return [
    {
      key: 'createdAt',
      title: t('mails.field.createdAt'),
      width: 205,
      hideBelow: 'sm',
      render: (row) => <span className="tabular">{formatTime(row.createdAt)}</span>,
      csv: (row) => row.createdAt,
    },
    {
      key: 'status',
      title: t('mails.field.status'),
      render: (row) => <MailStatus mail={row} withReason />,
      csv: (row) =>
        [t(`mails.status.${statusOf(row)}`), row.error, ...row.refused.map(refusalText)]
          .filter(Boolean)
          .join(': '),
    },
    {
      key: 'subject',
      title: t('mails.field.subject'),
      card: 'title',
      render: (row) => (
        <>
          <UnstyledButton className={classes.open ?? ''} onClick={() => onOpen(row)}>
            {row.subject || '–'}
          </UnstyledButton>
          <Text size="xs" c="dimmed" hiddenFrom="sm" className={classes.narrow}>
            {formatTime(row.createdAt)} · {row.recipients.join(', ')}
          </Text>
        </>
      ),
      csv: (row) => row.subject,
    },
    {
      key: 'recipients',
      title: t('mails.field.recipients'),
      hideBelow: 'sm',
      render: (row) => row.recipients.join(', '),
      csv: (row) => row.recipients.join(', '),
    },
    {
      key: 'sentAt',
      title: t('mails.field.sentAt'),
      optional: true,
      render: (row) => (row.sentAt === null ? '–' : formatTime(row.sentAt)),
      csv: (row) => row.sentAt,
    },
  ]
}

/** @param withReason with the reply of the mail server, if it has not taken the mail */
function MailStatus({ mail, withReason = false }: { mail: Mail; withReason?: boolean }) {
  const { t } = useTranslation()
  const status = statusOf(mail)
  const { tone, icon } = looks[status]
  const reasons = [mail.error ?? '', ...mail.refused.map(refusalText)].filter(Boolean)
  return (
    <>
      <StatusBadge tone={tone} icon={icon} label={t(`mails.status.${status}`)} />
      {withReason && reasons.length > 0 ? (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {reasons.join(' · ')}
        </Text>
      ) : null}
    </>
  )
}

function Details({ mail }: { mail: Mail }) {
  const { t } = useTranslation()
  return (
    <Stack gap="md">
      <Group gap="xl">
        <Fact label={t('mails.field.createdAt')}>{formatTime(mail.createdAt)}</Fact>
        <Fact label={t('mails.field.sentAt')}>{mail.sentAt === null ? '–' : formatTime(mail.sentAt)}</Fact>
        <Fact label={t('mails.field.status')}>
          <MailStatus mail={mail} />
        </Fact>
      </Group>
      <Fact label={t('mails.field.recipients')}>{mail.recipients.join(', ')}</Fact>
      {mail.status === 'kept' ? (
        <Text size="sm" c="dimmed">
          {t('mails.keptText')}
        </Text>
      ) : null}
      {mail.doubt === null ? null : <Text size="sm">{t(`mails.doubt.${mail.doubt}`)}</Text>}
      {mail.error === null ? null : (
        <Text size="sm" c="var(--health-error)">
          {t('mails.reply', { reply: mail.error })}
        </Text>
      )}
      {mail.refused.map((each) => (
        <Text key={each.address} size="sm" c="var(--health-error)">
          {t('mails.refused', each)}
        </Text>
      ))}
      {mail.ofRule ? <RouterLink to={tracePath({ mail: mail.id })}>{t('trace.follow')}</RouterLink> : null}
      <pre className={classes.body}>{mail.body}</pre>
      {mail.attachments.map((attachment) => (
        <Attachment key={attachment.id} attachment={attachment} />
      ))}
    </Stack>
  )
}

function Attachment({ attachment: { id, name, type, size } }: { attachment: Mail['attachments'][number] }) {
  const { t } = useTranslation()
  const load = useMutation({
    mutationFn: async () => download(name, (await client.mail.attachment({ id })).body, type),
  })
  return (
    <div>
      <Button
        variant="default"
        size="compact-md"
        loading={load.isPending}
        leftSection={<Icon of={IconDownload} />}
        aria-label={t('files.download', { name })}
        onClick={() => load.mutate()}
      >
        {name} · {formatBytes(size)}
      </Button>
      {load.isError ? <ErrorText error={load.error} /> : null}
    </div>
  )
}
