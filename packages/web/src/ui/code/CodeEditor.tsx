import { Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import { onDemand } from '../../lib/onDemand.ts'
import { Loading } from '../feedback/Loading.tsx'

/** An error at a position in the source, shown at its line. Lines and columns are 1-based. */
export interface CodeMarker {
  line: number
  column?: number | null
  message: string
  severity?: 'error' | 'warning'
}

export interface CodeEditorProps {
  value: string
  onChange?: (value: string) => void
  language: 'javascript' | 'json' | 'text'
  /** Name for screen readers. */
  label: string
  markers?: readonly CodeMarker[]
  /** Completions besides those of the language, e.g. variables in scope. */
  completions?: readonly { label: string; detail?: string }[]
  readOnly?: boolean
  /** CSS height; default 320px. */
  height?: string
}

const Loaded = onDemand(() => import('./CodeMirrorEditor.tsx'))

/** CodeMirror for JavaScript and JSON with error markers and completion; loaded when first shown. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense
      fallback={
        <Loading>
          <Skeleton height={props.height ?? '320px'} />
        </Loading>
      }
    >
      <Loaded {...props} />
    </Suspense>
  )
}
