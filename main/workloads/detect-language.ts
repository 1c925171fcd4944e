import type { Detected } from '../../contract/workloads.ts';
import type { FolderItem } from './folder-reader.ts';

/** What marks a language or framework, the telling ones first. */
const marks: readonly { readonly file: string; readonly language: string }[] = [
  { file: 'package.json', language: 'Node.js' },
  { file: 'deno.json', language: 'Deno' },
  { file: 'go.mod', language: 'Go' },
  { file: 'pyproject.toml', language: 'Python' },
  { file: 'requirements.txt', language: 'Python' },
  { file: 'Pipfile', language: 'Python' },
  { file: 'setup.py', language: 'Python' },
  { file: 'pom.xml', language: 'Java (Maven)' },
  { file: 'build.gradle', language: 'Java (Gradle)' },
  { file: 'build.gradle.kts', language: 'Kotlin (Gradle)' },
  { file: 'Cargo.toml', language: 'Rust' },
  { file: 'Gemfile', language: 'Ruby' },
  { file: 'composer.json', language: 'PHP' },
  { file: 'mix.exs', language: 'Elixir' },
  { file: 'index.php', language: 'PHP' },
  { file: 'index.html', language: 'Static site' },
];

const extensions: readonly { readonly end: string; readonly language: string }[] = [
  { end: '.csproj', language: '.NET' },
  { end: '.fsproj', language: '.NET' },
  { end: '.sln', language: '.NET' },
];

/** The language of a folder by what lies in it; TypeScript where a project of Node.js has it. */
export function detectLanguage(items: readonly FolderItem[]): Detected<string> | undefined {
  const files = new Set(items.filter(({ kind }) => kind === 'file').map(({ name }) => name));
  const mark = marks.find(({ file }) => files.has(file));
  if (mark?.language === 'Node.js' && files.has('tsconfig.json')) {
    return { value: 'TypeScript (Node.js)', why: 'package.json and tsconfig.json are in the folder' };
  }
  if (mark !== undefined) return { value: mark.language, why: `${mark.file} is in the folder` };
  for (const name of files) {
    const found = extensions.find(({ end }) => name.endsWith(end));
    if (found !== undefined) return { value: found.language, why: `${name} is in the folder` };
  }
  return undefined;
}

/** The files of a folder that say what project it is: a container's folder that has the same ones is its counterpart. */
export function projectMarks(items: readonly FolderItem[]): readonly string[] {
  const files = new Set(items.filter(({ kind }) => kind === 'file').map(({ name }) => name));
  return marks.map(({ file }) => file).filter((file) => files.has(file));
}
