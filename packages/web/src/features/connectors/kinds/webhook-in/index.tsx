import { Alert, Stack, Text } from '@mantine/core'
import { IconInfoCircle, IconWebhook } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useFreshKey } from '../../../../lib/freshKeys.ts'
import { Icon } from '../../../../ui/display/Icon.tsx'
import { RouterLink } from '../../../../ui/page/RouterLink.tsx'
import { TryCommand } from '../../ConnectionParts.tsx'
import { connectorPath } from '../../connectorPath.ts'
import { DownlinkKeyFields, DownlinkSection } from '../../DownlinkFields.tsx'
import { LimitFields } from '../../LimitFields.tsx'
import { PresetFields } from '../../PresetFields.tsx'
import type { Connector } from '../../queries.ts'
import { RemoteFields } from '../../RemoteFields.tsx'
import { exampleSample } from '../../samples.ts'
import { quoted, type Sample, sampleMessage } from '../../sending.ts'
import {
  type DownlinkValues,
  emptyCommon,
  emptyRemote,
  type RemoteValues,
  remoteSecrets,
} from '../../settings.ts'
import type { CommonValues, ConnectionProps, ConsoleKind, FormProps, Reached } from '../types.ts'
import { Address } from './Address.tsx'

type Values = CommonValues & RemoteValues & DownlinkValues & { downlinkUrl: string; downlinkKey: string }

const tool = 'curl'

/** An incoming webhook. */
export const webhookIn: ConsoleKind<Values> = {
  icon: IconWebhook,
  empty: () => ({
    ...emptyCommon(),
    ...emptyRemote(),
    downlinks: 'none',
    downlinkUrl: '',
    downlinkKey: '',
  }),
  secrets: (settings) => ({ ...remoteSecrets(settings), downlinkKey: settings.downlinks !== 'none' }),
  Form,
  Connection,
  sending: { tool, command: postCommand, CommandNote },
}

/** The address with the key in it. */
function hookUrl({ endpoints }: Pick<Reached, 'endpoints'>, key: string): string {
  return endpoints[0] ? `${endpoints[0]}/${key}` : ''
}

function postCommand(connector: Reached, sample: Sample, key: string): string {
  const { preset } = connector
  // ChirpStack sends the event in the query.
  const event = preset === 'chirpstack-v4' ? '?event=up' : ''
  return [
    `curl -X POST '${hookUrl(connector, key)}${event}'`,
    "  -H 'Content-Type: application/json'",
    `  -d ${quoted(JSON.stringify(sampleMessage(preset, sample)))}`,
  ].join(' \\\n')
}

function Form(props: FormProps) {
  return (
    <>
      <PresetFields {...props} />
      <DownlinkSection {...props}>
        <DownlinkKeyFields {...props} />
      </DownlinkSection>
      <RemoteFields {...props} />
      <LimitFields {...props} />
    </>
  )
}

function Connection({ connector, keys }: ConnectionProps) {
  const { t } = useTranslation()
  const freshKey = useFreshKey(connector.id)
  const key = freshKey ?? t('connectors.connection.keyPlaceholder')
  return (
    <Stack gap="md">
      <Address connector={connector} url={hookUrl(connector, key)} freshKey={freshKey} />
      {keys}
      <TryCommand command={postCommand(connector, exampleSample(connector.preset), key)} tool={tool}>
        <Alert variant="light" color="gray" icon={<Icon of={IconInfoCircle} />}>
          {t('connectors.connection.acknowledged')}
        </Alert>
      </TryCommand>
    </Stack>
  )
}

/** A key created in this session is already in the command; otherwise the user has to insert it. */
function CommandNote({ connector, isKeyKnown }: { connector: Connector; isKeyKnown: boolean }) {
  const { t } = useTranslation()
  if (isKeyKnown) return null
  return (
    <Text size="sm" c="dimmed" mt="xs">
      {t('devices.send.key')}{' '}
      <RouterLink to={`${connectorPath(connector)}?tab=connection`}>{t('devices.send.keyLink')}</RouterLink>
    </Text>
  )
}
