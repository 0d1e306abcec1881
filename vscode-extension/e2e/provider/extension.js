// A language model that asks the scripted endpoint of the story, whose address the environment names.
const vscode = require('vscode');

function textOf(message) {
  return message.content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}

const model = {
  provideLanguageModelChatInformation() {
    const capabilities = { toolCalling: true, imageInput: false };
    return [
      {
        id: 'story-1',
        name: 'Story 1',
        family: 'story',
        version: '1',
        maxInputTokens: 32000,
        maxOutputTokens: 4000,
        capabilities,
      },
    ];
  },
  async provideLanguageModelChatResponse(_model, messages, _options, progress) {
    const asked = messages.map((each) => ({ role: 'user', content: textOf(each) }));
    const reply = await fetch(`${process.env.STORY_MODEL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'story', messages: asked }),
    });
    const { choices } = await reply.json();
    for (const piece of choices[0].message.content.match(/.{1,24}/gs))
      progress.report(new vscode.LanguageModelTextPart(piece));
  },
  async provideTokenCount(_model, text) {
    return Math.ceil((typeof text === 'string' ? text : textOf(text)).length / 4);
  },
};

exports.activate = async (context) => {
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('story', model));
  // The Chat view asks no provider for its models by itself.
  await vscode.lm.selectChatModels({ vendor: 'story' });
};
