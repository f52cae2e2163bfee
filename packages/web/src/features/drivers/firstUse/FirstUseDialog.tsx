import { hasScript } from '@leitstand/contract/parsers'
import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { ConfirmDialog } from '../../../ui/feedback/ConfirmDanger.tsx'
import type { Driver } from '../queries.ts'
import { DriverFacts } from './DriverFacts.tsx'
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
  return (
    <ConfirmDialog
      opened
      title={t('drivers.firstUse.title')}
      text={t('drivers.firstUse.text', { title, account: accountName })}
      confirmLabel={t('drivers.accepted.accept', { number })}
      onConfirm={onAccept}
      onCancel={onCancel}
    >
      <DriverFacts driver={driver} />
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
