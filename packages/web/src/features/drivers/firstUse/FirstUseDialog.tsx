import { hasScript } from '@leitstand/contract/parsers'
import { Alert, SimpleGrid, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { Fact } from '../../../ui/display/Fact.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ConfirmDialog } from '../../../ui/feedback/ConfirmDanger.tsx'
import type { Driver } from '../queries.ts'
import { warningsOf } from '../versions/warnings.ts'
import classes from './firstUse.module.css'

interface FirstUseDialogProps {
  /** in the version to accept */
  driver: Driver
  onAccept: () => void
  onCancel: () => void
}

/** Whose driver an account is about to use, what kind it is and what it does, before it is accepted. */
export default function FirstUseDialog({ driver, onAccept, onCancel }: FirstUseDialogProps) {
  const { t } = useTranslation()
  const { parser, number, title, accountName } = driver
  const host = warningsOf(parser, parser).find(({ kind }) => kind === 'host')?.details.host
  return (
    <ConfirmDialog
      opened
      title={t('drivers.firstUse.title')}
      text={t('drivers.firstUse.text', { title, account: accountName })}
      confirmLabel={t('drivers.accepted.accept', { number })}
      onConfirm={onAccept}
      onCancel={onCancel}
    >
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <Fact label={t('drivers.firstUse.owner')}>{accountName}</Fact>
        <Fact label={t('drivers.firstUse.kind')}>{t(`drivers.kind.name.${parser.kind}`)}</Fact>
        <Fact label={t('drivers.accepted.version')}>v{number}</Fact>
      </SimpleGrid>
      {host === undefined ? null : (
        <Alert variant="light" color="red" icon={<Icon of={IconAlertTriangle} />}>
          {t('drivers.accepted.warning.host', { host })}
        </Alert>
      )}
      {hasScript(parser.kind) ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section className={classes.source} aria-label={t('drivers.firstUse.source')} tabIndex={0}>
          <CodeBlock code={driver.script} label={t('drivers.firstUse.source')} />
        </section>
      ) : null}
      <Text size="sm" c="dimmed">
        {t('drivers.firstUse.later')}
      </Text>
    </ConfirmDialog>
  )
}
