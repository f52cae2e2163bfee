import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react'
import { Component, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { describeError } from '../../lib/errors.ts'
import { CopyButton } from '../display/CopyButton.tsx'
import { Icon } from '../display/Icon.tsx'
import classes from '../ui.module.css'

interface ErrorStateProps {
  error: unknown
  /** What failed, e.g. "Die Geräte konnten nicht geladen werden". */
  title?: string
  onRetry?: (() => void) | undefined
  compact?: boolean
  /** Heading level; 1 if this is the whole page. */
  order?: 1 | 2
  /** beside the retry */
  actions?: ReactNode
}

/**
 * An error in the user's language, with retry and the request id to copy. Fills its container, never the
 * page.
 */
export function ErrorState({ error, title, onRetry, compact = false, order = 2, actions }: ErrorStateProps) {
  const { t } = useTranslation()
  const info = describeError(error)
  return (
    <Stack align="center" gap={10} py={compact ? 20 : 56} px="md" role="alert" className={classes.centered}>
      <span className={classes.errorIcon}>
        <Icon of={IconAlertTriangle} size={22} />
      </span>
      <Title order={order} size={order === 1 ? 'h2' : 'h3'} ta="center">
        {info.status === 404 ? t('common.notFound') : (title ?? t('common.loadFailed'))}
      </Title>
      <Text c="dimmed" ta="center" maw={460} size="sm">
        {info.text}
      </Text>
      <Group gap="xs" justify="center">
        {/* What does not exist will not the next time, either. */}
        {onRetry && info.status !== 404 ? (
          <Button variant="default" leftSection={<Icon of={IconRefresh} />} onClick={onRetry}>
            {t('common.retry')}
          </Button>
        ) : null}
        {actions}
      </Group>
      {info.requestId ? (
        <Group gap={4} wrap="nowrap">
          <Text size="xs" c="dimmed">
            {t('common.requestId')} <span className={classes.mono}>{info.requestId}</span>
          </Text>
          <CopyButton value={info.requestId} label={t('common.copyRequestId')} />
        </Group>
      ) : null}
    </Stack>
  )
}

/** Contains the error of one part: shows it there, the rest of the page keeps working. */
export class ErrorBoundary extends Component<
  { children: ReactNode; compact?: boolean },
  { error: unknown; failed: boolean }
> {
  override state: { error: unknown; failed: boolean } = { error: undefined, failed: false }

  static getDerivedStateFromError(error: unknown): { error: unknown; failed: boolean } {
    return { error, failed: true }
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return (
      <ErrorState
        error={this.state.error}
        compact={this.props.compact ?? false}
        onRetry={() => this.setState({ error: undefined, failed: false })}
      />
    )
  }
}
