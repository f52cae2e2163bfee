import type { StateFilter } from '@leitstand/contract/overview'
import { Button, Text } from '@mantine/core'
import { IconFilterOff } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EditorSheet } from '../../../ui/forms/EditorSheet.tsx'
import { faultsOf, hasRoom, replaced, toDraft, toFilter } from './draft.ts'
import { GroupEditor } from './GroupEditor.tsx'

interface FilterBuilderProps {
  filter: StateFilter | undefined
  /** null: without conditions */
  onApply: (filter: StateFilter | null) => void
  onClose: () => void
}

/** Edits conditions in nested groups, beside the list they narrow. */
export default function FilterBuilder({ filter, onApply, onClose }: FilterBuilderProps) {
  const { t } = useTranslation()
  const [first] = useState(() => toDraft(filter))
  const [draft, setDraft] = useState(first)
  const [tried, setTried] = useState(false)
  const faults = faultsOf(draft)
  const apply = () => {
    setTried(true)
    if (faults.size === 0) onApply(toFilter(draft))
  }
  return (
    <EditorSheet
      title={t('stateOverview.builder.title')}
      size={680}
      saveLabel={t('stateOverview.builder.apply')}
      dirty={draft !== first}
      busy={false}
      failure={undefined}
      onSave={apply}
      onClose={onClose}
    >
      <Text size="sm" c="dimmed">
        {t('stateOverview.builder.text')}
      </Text>
      <GroupEditor
        group={draft}
        depth={1}
        faults={tried ? faults : new Set()}
        hasRoom={hasRoom(draft)}
        onChange={setDraft}
        onPart={(id, part) => setDraft((before) => replaced(before, id, part))}
      />
      {filter ? (
        <Button
          variant="subtle"
          color="gray"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<Icon of={IconFilterOff} size={16} />}
          onClick={() => onApply(null)}
        >
          {t('stateOverview.builder.clear')}
        </Button>
      ) : null}
    </EditorSheet>
  )
}
