import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Fact } from '../../../ui/display/Fact.tsx'
import { TagList } from '../../../ui/display/TagList.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { NameOf } from '../ChangesSummary.tsx'
import { type TwinSingle, type TwinValues, twinLabels, twinWords } from './twinChanges.ts'

/** Summary of a bulk edit's changes, with the form's labels. */
export function TwinChangesSummary({ values }: { values: TwinValues }) {
  const { t } = useTranslation()
  const { add, remove, keyValuesSet, keyValuesRemove, on } = values
  const lists = [
    ...twinWords.flatMap((field) => [
      { label: `bulk.${field}Add`, words: add[field] },
      { label: `bulk.${field}Remove`, words: remove[field] },
    ]),
    {
      label: 'bulk.keyValuesSet',
      words: Object.entries(keyValuesSet).map(([key, value]) => `${key}: ${value}`),
    },
    { label: 'bulk.keyValuesRemove', words: keyValuesRemove },
  ].filter(({ words }) => words.length > 0)
  return (
    <Section title={t('bulk.summary.title')}>
      <Stack gap="sm">
        {lists.map(({ label, words }) => (
          <Fact key={label} label={t(label)}>
            <TagList tags={words} max={10} />
          </Fact>
        ))}
        {on.map((field) => (
          <Fact key={field} label={t(twinLabels[field])}>
            <NewValue field={field} values={values} />
          </Fact>
        ))}
      </Stack>
    </Section>
  )
}

function NewValue({ field, values }: { field: TwinSingle; values: TwinValues }) {
  const { t } = useTranslation()
  switch (field) {
    case 'parent':
      return <NameOf kind="twin" id={values.parentId} none={t('twins.noParent')} />
    case 'icon':
      return values.icon === null ? t('twins.iconOfType') : t(`icons.names.${values.icon}`)
    case 'disabled':
      return t(values.disabled ? 'twins.isDisabled' : 'twins.isEnabled')
  }
}
