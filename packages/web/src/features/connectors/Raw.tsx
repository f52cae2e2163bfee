import { useTranslation } from 'react-i18next'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { JsonView } from '../../ui/json/JsonView.tsx'

/** A raw message: a tree if it is JSON, else text. */
export function Raw({ text }: { text: string }) {
  const { t } = useTranslation()
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // Not JSON, or truncated at 4 KB: shown as text.
    return <CodeBlock code={text} label={t('connectors.traffic.raw')} />
  }
  return typeof json === 'object' && json !== null ? (
    <JsonView value={json} openLevels={4} />
  ) : (
    <CodeBlock code={text} label={t('connectors.traffic.raw')} />
  )
}
