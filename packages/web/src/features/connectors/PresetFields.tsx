import { presets } from '@leitstand/contract/connectors/parts'
import { Radio } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CodeEditor } from '../../ui/code/CodeEditor.tsx'
import { Section } from '../../ui/page/Section.tsx'
import classes from './connectors.module.css'
import type { FormProps } from './kinds/types.ts'
import { templateStart } from './settings.ts'

/** Names offered in the template editor. */
const templateNames = [
  { label: 'payload', detail: 'message' },
  { label: 'meta', detail: 'topic, query' },
  { label: 'meta.topic' },
  { label: 'meta.query' },
  { label: 'identifier' },
  { label: 'routing' },
  { label: 'Buffer' },
  { label: '_', detail: 'lodash' },
  { label: 'console.log' },
]

/** How messages are parsed: a preset card or a custom template, with a tester next to it. */
export function PresetFields({ form, tester }: FormProps) {
  const { t } = useTranslation()
  const { settings } = form.getValues()
  const choose = (chosen: string) => {
    const preset = presets.find((each) => each === chosen) ?? 'standard'
    form.setFieldValue('settings.preset', preset)
    if (preset === 'template' && settings.template.trim() === '')
      form.setFieldValue('settings.template', templateStart)
  }
  const error = form.errors['settings.template']
  return (
    <>
      <Section title={t('connectors.section.preset')} description={t('connectors.presetHint')}>
        <Radio.Group value={settings.preset} onChange={choose} aria-label={t('connectors.section.preset')}>
          <div className={classes.cards}>
            {presets.map((preset) => (
              <Radio.Card key={preset} value={preset} className={classes.card ?? ''}>
                <span className={classes.cardTitle}>
                  <Radio.Indicator size="xs" />
                  {t(`connectors.preset.${preset}.name`)}
                </span>
                <span className={classes.cardText}>{t(`connectors.preset.${preset}.text`)}</span>
              </Radio.Card>
            ))}
          </div>
        </Radio.Group>
      </Section>
      <Section
        title={t(
          settings.preset === 'template' ? 'connectors.section.template' : 'connectors.section.tester',
        )}
        description={t(settings.preset === 'template' ? 'connectors.templateHint' : 'connectors.testerHint')}
      >
        <div className={settings.preset === 'template' ? classes.split : undefined}>
          {settings.preset === 'template' ? (
            <div>
              <CodeEditor
                language="javascript"
                label={t('connectors.section.template')}
                value={settings.template}
                onChange={(text) => form.setFieldValue('settings.template', text)}
                completions={templateNames}
                height="420px"
                {...(error ? { markers: [{ line: 1, message: String(error) }] } : {})}
              />
            </div>
          ) : null}
          {tester}
        </div>
      </Section>
    </>
  )
}
