import { Alert, Checkbox, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from '../../ui/forms/fields.module.css'
import { KeyValueEditor } from '../../ui/forms/KeyValueEditor.tsx'
import { TagInput } from '../../ui/forms/TagInput.tsx'
import { Section } from '../../ui/page/Section.tsx'
import bulkClasses from './bulk.module.css'

/** What every bulk edit can change. */
interface Values<Word extends string, Single extends string> {
  add: Record<Word, string[]>
  remove: Record<Word, string[]>
  keyValuesSet: Record<string, string>
  keyValuesRemove: string[]
  /** fields that are changed */
  on: readonly Single[]
}

interface ChangesFieldsProps<Word extends string, Single extends string> {
  values: Values<Word, Single>
  onChange: (changed: Partial<Values<Word, Single>>) => void
  /** "Next" was pressed without a change */
  missing: boolean
  /** lists of words with those that are known; a text instead says why objects of several accounts have none */
  words: readonly (readonly [Word, readonly string[]])[] | string
  /** fields with an entry that is both added and removed */
  wrong: readonly string[]
  singlesHint: string
  /** fields that are set to one value */
  singles: readonly Single[]
  labelOf: (field: Single) => string
  /** the control of such a field */
  single: (field: Single) => ReactNode
}

/** The changes of a bulk edit; fields left unset stay unchanged. */
export function ChangesFields<Word extends string, Single extends string>({
  values,
  onChange,
  missing,
  words,
  wrong,
  singlesHint,
  singles,
  labelOf,
  single,
}: ChangesFieldsProps<Word, Single>) {
  const { t } = useTranslation()
  const fault = (field: string) => (wrong.includes(field) ? t('bulk.overlap') : undefined)
  return (
    <Stack gap="lg">
      {missing ? <Alert color="red">{t('bulk.nothing')}</Alert> : null}
      {typeof words === 'string' ? (
        <Alert color="yellow">{words}</Alert>
      ) : (
        <Section title={t('bulk.assignment')}>
          <div className={classes.fields}>
            {words.flatMap(([field, known]) => [
              <TagInput
                key={`${field}Add`}
                label={t(`bulk.${field as string}Add`)}
                value={values.add[field]}
                suggestions={[...known]}
                onChange={(entered) => onChange({ add: { ...values.add, [field]: entered } })}
              />,
              <TagInput
                key={`${field}Remove`}
                label={t(`bulk.${field as string}Remove`)}
                value={values.remove[field]}
                suggestions={[...known]}
                onChange={(entered) => onChange({ remove: { ...values.remove, [field]: entered } })}
                error={fault(field)}
              />,
            ])}
          </div>
        </Section>
      )}
      <Section title={t('devices.field.keyValues')}>
        <div className={classes.fields}>
          <KeyValueEditor
            label={t('bulk.keyValuesSet')}
            value={values.keyValuesSet}
            onChange={(keyValuesSet) => onChange({ keyValuesSet })}
          />
          <TagInput
            label={t('bulk.keyValuesRemove')}
            value={values.keyValuesRemove}
            onChange={(keyValuesRemove) => onChange({ keyValuesRemove })}
            max={100}
            error={fault('keyValues')}
          />
        </div>
      </Section>
      <Section title={t('bulk.mode.edit')} description={singlesHint}>
        <div className={bulkClasses.switches}>
          {singles.map((field) => {
            const others = values.on.filter((each) => each !== field)
            const isOn = values.on.includes(field)
            return (
              <div key={field} className={bulkClasses.switched}>
                <Checkbox
                  label={t(labelOf(field))}
                  checked={isOn}
                  onChange={(event) =>
                    onChange({ on: event.currentTarget.checked ? [...others, field] : others })
                  }
                />
                {isOn ? single(field) : null}
              </div>
            )
          })}
        </div>
      </Section>
    </Stack>
  )
}
