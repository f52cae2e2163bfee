import { Anchor } from '@mantine/core'
import Markdown, { type Components } from 'react-markdown'

const allowed = [
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'li',
  'strong',
  'em',
  'a',
  'blockquote',
  'hr',
  'br',
]

/** Headings are below that of the page or dialog, whatever the author used. */
const headings = {
  h2: ({ children }) => <h2>{children}</h2>,
  h3: ({ children }) => <h3>{children}</h3>,
} satisfies Record<string, Components['h1']>

const links: Components = {
  a: ({ children, href }) => (
    <Anchor href={href ?? ''} target="_blank" rel="noopener noreferrer" underline="always" inherit>
      {children}
    </Anchor>
  ),
}

/** Terms of use as their author wrote them: Markdown without images, tables and HTML. */
export function TermsText({ text, heading = 'h3' }: { text: string; heading?: keyof typeof headings }) {
  const own = headings[heading]
  const components = { ...links, h1: own, h2: own, h3: own, h4: own, h5: own, h6: own }
  return (
    <Markdown allowedElements={allowed} unwrapDisallowed skipHtml components={components}>
      {text}
    </Markdown>
  )
}
