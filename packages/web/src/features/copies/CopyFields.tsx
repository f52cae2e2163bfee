import type { CopyParts } from '@leitstand/contract/copies'
import { Alert, Checkbox, Fieldset, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type Contents, choicesOf, notesOf, withPart } from './choices.ts'

/** What is copied with the twin, and what is not. */
export function PartChoices(props: {
  contents: Contents
  parts: CopyParts
  onChange: (parts: CopyParts) => void
}) {
  const { t } = useTranslation()
  const { contents, parts, onChange } = props
  const notes = notesOf(contents, parts)
  return (
    <>
      <Fieldset
        variant="unstyled"
        p={0}
        m={0}
        bd={0}
        legend={
          <Text component="span" size="sm" fw={600}>
            {t('copies.duplicate.parts')}
          </Text>
        }
      >
        <Stack gap="xs" mt={6}>
          {choicesOf(contents, parts).map(({ part, count, isOff, hasHint }) => (
            <Checkbox
              key={part}
              label={t(`copies.duplicate.part.${part}`, { count })}
              description={hasHint ? t(`copies.duplicate.hint.${part}`) : undefined}
              checked={parts[part] && !isOff}
              disabled={isOff}
              onChange={(event) => onChange(withPart(parts, part, event.currentTarget.checked))}
            />
          ))}
        </Stack>
      </Fieldset>
      {notes.length === 0 ? null : (
        <Alert color={notes.some(({ note }) => note === 'tooMany') ? 'red' : 'gray'}>
          {notes.map(({ note, count }) => (
            <Text key={note} size="sm">
              {t(`copies.duplicate.note.${note}`, { count })}
            </Text>
          ))}
        </Alert>
      )}
    </>
  )
}
