import { Button, Drawer, Group, Stack, Text } from '@mantine/core'
import { IconRefresh, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatBytes, formatTime } from '../../lib/format.ts'
import { type TraceStart, tracePath } from '../../lib/trace.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { CopyButton } from '../../ui/display/CopyButton.tsx'
import { Fact } from '../../ui/display/Fact.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { errorText, Raw } from '../connectors/index.ts'
import { remedyFor } from './filters.ts'
import classes from './letters.module.css'
import type { DeadLetter } from './queries.ts'

interface LetterDrawerProps {
  connectorId: number
  letterId: number | undefined
  onClose: () => void
  onReplay: (letter: DeadLetter) => void
  onDelete: (letter: DeadLetter) => void
}

/** A dead letter with its full body: the reason, the remedy, replay and delete. */
export function LetterDrawer({ connectorId, letterId, onClose, ...actions }: LetterDrawerProps) {
  const { t } = useTranslation()
  const letter = useQuery({
    ...api.letters.get.queryOptions({ input: { id: connectorId, letterId: letterId ?? 0 } }),
    enabled: letterId !== undefined,
  })
  return (
    <Drawer
      opened={letterId !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={t('connectors.dead.entry')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {letter.isLoadingError ? (
        <ErrorState error={letter.error} compact />
      ) : letter.data ? (
        <Details letter={letter.data} connectorId={connectorId} {...actions} />
      ) : (
        <Loading />
      )}
    </Drawer>
  )
}

function Details({
  letter,
  connectorId,
  onReplay,
  onDelete,
}: { letter: DeadLetter } & Omit<LetterDrawerProps, 'letterId' | 'onClose'>) {
  const { t } = useTranslation()
  return (
    <Stack gap="md">
      <Why letter={letter} connectorId={connectorId} />
      <Group gap="xl">
        <Fact label={t('connectors.traffic.at')}>{formatTime(letter.receivedAt)}</Fact>
        <Fact label={t('connectors.traffic.identifier')}>{letter.identifier ?? '–'}</Fact>
        {letter.topic === null ? null : <Fact label={t('connectors.dead.topic')}>{letter.topic}</Fact>}
        {letter.preset === null ? null : (
          <Fact label={t('connectors.dead.readBy')}>{t(`connectors.preset.${letter.preset}.name`)}</Fact>
        )}
        {letter.attempts === 0 || letter.lastAttemptAt === null ? null : (
          <Fact label={t('connectors.dead.attempts')}>
            {letter.attempts} · <RelativeTime time={letter.lastAttemptAt} />
          </Fact>
        )}
      </Group>
      {letter.replayable ? (
        <div>
          <Group justify="space-between" mb={6}>
            <Text size="sm" fw={600}>
              {t(letter.stage === 'packet' ? 'connectors.dead.packet' : 'connectors.traffic.raw')}{' '}
              <Text span size="xs" c="dimmed">
                {formatBytes(new TextEncoder().encode(letter.body).length)}
              </Text>
            </Text>
            <CopyButton value={letter.body} label={t('connectors.dead.copy')} />
          </Group>
          <Raw text={letter.body} />
        </div>
      ) : (
        <Text size="sm" c="dimmed">
          {t('connectors.dead.notKept')}
        </Text>
      )}
      <Group gap={8}>
        <Button
          leftSection={<Icon of={IconRefresh} />}
          disabled={!letter.replayable}
          onClick={() => onReplay(letter)}
        >
          {t('connectors.dead.replay')}
        </Button>
        <Button
          variant="light"
          color="red"
          leftSection={<Icon of={IconTrash} />}
          onClick={() => onDelete(letter)}
        >
          {t('connectors.dead.delete')}
        </Button>
        <RouterLink to={tracePath(startOf(letter, connectorId))} size="sm">
          {t('trace.follow')}
        </RouterLink>
      </Group>
    </Stack>
  )
}

/** Longer identifiers are none of a device. */
const identifierMax = 200

/** What the trace of a letter begins with. */
function startOf({ id: letter, receivedAt: at, identifier }: DeadLetter, connector: number): TraceStart {
  const isUsable = identifier !== null && identifier !== '' && identifier.length <= identifierMax
  return { letter, connector, at, ...(isUsable ? { identifier } : {}) }
}

/** The reason in plain words, the exact error and the remedy. */
function Why({ letter, connectorId }: { letter: DeadLetter; connectorId: number }) {
  const { t } = useTranslation()
  const identifier = letter.identifier ?? ''
  return (
    <div className={classes.why}>
      <StatusBadge tone="error" label={errorText({ code: letter.reason, message: letter.detail }, t)} />
      {letter.detail ? (
        <Text size="sm" c="dimmed" mt={6} style={{ overflowWrap: 'anywhere' }}>
          {letter.detail}
        </Text>
      ) : null}
      <Text size="sm" mt={8}>
        {t(`connectors.dead.remedy.${remedyFor(letter.reason)}`)}
      </Text>
      {letter.reason === 'DEVICE_UNKNOWN' && identifier ? (
        <RouterLink
          to={`/virtual-devices?create=1&connector=${connectorId}&externalId=${encodeURIComponent(identifier)}`}
          size="sm"
        >
          {t('connectors.dead.createDevice', { identifier })}
        </RouterLink>
      ) : null}
      {letter.reason === 'DEVICE_DISABLED' && letter.deviceId !== null ? (
        <RouterLink to={`/virtual-devices/${letter.deviceId}`} size="sm">
          {t('connectors.dead.openDevice')}
        </RouterLink>
      ) : null}
    </div>
  )
}
