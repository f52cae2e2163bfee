import { SegmentedControl, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { inMode } from './inMode.ts'
import classes from './mailTemplates.module.css'

const views = ['light', 'dark', 'text'] as const
type View = (typeof views)[number]

interface TemplatePreviewProps {
  /** null: not made yet, or something is wrong with the words */
  mail: { subject: string; html: string; text: string } | null
  /** whether what is in it is the newest of the account; undefined: not known yet */
  data: 'example' | 'real' | undefined
  isWrong: boolean
  error: unknown
  onRetry: () => void
}

/** How an email will look, with the newest of the account for what is in it, else with examples. */
export function TemplatePreview({ mail, data, isWrong, error, onRetry }: TemplatePreviewProps) {
  const { t } = useTranslation()
  const [view, setView] = useState<View>('light')
  const [isNarrow, setNarrow] = useState(false)
  return (
    <Section
      title={t('mailTemplates.preview')}
      description={t(data === 'real' ? 'mailTemplates.previewReal' : 'mailTemplates.previewHint')}
    >
      <Stack gap="sm">
        <div className={classes.views}>
          <SegmentedControl
            size="xs"
            aria-label={t('mailTemplates.view')}
            data={views.map((value) => ({ value, label: t(`mailTemplates.views.${value}`) }))}
            value={view}
            onChange={(value) => setView(value as View)}
          />
          <Switch
            size="sm"
            label={t('mailTemplates.onPhone')}
            checked={isNarrow}
            disabled={view === 'text'}
            onChange={(event) => setNarrow(event.currentTarget.checked)}
          />
        </div>
        {isWrong ? <Text size="sm">{t('mailTemplates.wrong')}</Text> : null}
        {mail === null && !isWrong ? (
          error ? (
            <ErrorState error={error} onRetry={onRetry} compact />
          ) : (
            <Loading lines={8} />
          )
        ) : null}
        {mail ? (
          <>
            <Text size="sm" fw={600} className={classes.plain}>
              {mail.subject}
            </Text>
            {view === 'text' ? (
              <Text size="sm" className={classes.plain}>
                {mail.text}
              </Text>
            ) : (
              <iframe
                // No scripts, no forms, no links out of it: it shows what users have written.
                sandbox=""
                title={t('mailTemplates.preview')}
                srcDoc={inMode(mail.html, view)}
                className={classes.frame}
                data-mode={view}
                data-narrow={isNarrow || undefined}
              />
            )}
          </>
        ) : null}
      </Stack>
    </Section>
  )
}
