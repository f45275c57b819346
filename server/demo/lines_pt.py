"""The demo model's lines in Portuguese: short sentences, third person, no exclamation marks."""

LINES: dict[str, tuple[str, ...]] = {
    "": ("",),
    "go_on": (
        "Continue quando quiser, por palavras suas.",
        "Fico à espera da sua resposta.",
        "Não há pressa.",
    ),
    # Identification
    "greet": (
        "Olá. Diga o que quer vender, por exemplo «um iPhone 12 preto de 128 GB».",
        "Olá. O que quer vender? A marca e o modelo bastam.",
    ),
    "help": (
        "Sou um guião de demonstração: procuro no catálogo, crio o artigo e faço as perguntas. O que quer vender?",
    ),
    "ask_product": (
        "O que quer vender? A marca e o modelo bastam.",
        "Escreva a marca e o modelo, por exemplo «Galaxy S21» ou «bicicleta Elops 520».",
    ),
    "what_else": (
        "Qual é então o artigo? Escreva a marca e o modelo.",
        "O que quer vender? A marca e o modelo bastam.",
    ),
    "which_else": (
        "Escreva o nome do modelo, por exemplo como está na caixa.",
        "Qual é o modelo? Costuma estar na etiqueta.",
    ),
    "concrete": (
        "Escreva só a marca e o modelo, por exemplo «Bimby TM5».",
        "Comece pela marca, por exemplo «Samsung».",
    ),
    "found_one": (
        "Encontrei: **{product}**, marca {brand}. É este o seu?",
        "**{product}**, da {brand}. É este?",
    ),
    "near_one": (
        "«{query}» não está assim no catálogo. O mais próximo é **{product}**, da {brand}. É este?",
        "Não encontrei «{query}» tal e qual. Será **{product}**, da {brand}?",
    ),
    "found_many": ("Encontrei {count} produtos. Qual é o seu?", "Há {count} no catálogo. Qual deles é?"),
    "near_many": (
        "«{query}» não está assim no catálogo. Algum destes é o seu?",
        "Não encontrei «{query}» tal e qual. Veja se é um destes.",
    ),
    "sellable": (
        "Depende do catálogo. Diga que artigo tem, por exemplo «um portátil» ou «uma bicicleta», e vê-se logo.",
    ),
    "more_products": ("Ficam mais estes à vista. Qual é o seu?", "Aqui está o resto da lista. Qual deles é?"),
    "all_shown": (
        "Estão todos à vista: {names}. Se não é nenhum, escreva outra marca ou modelo.",
        "Não há mais nenhum: {names}. Se falta o seu, escreva a marca e o modelo.",
    ),
    "not_in_catalog": (
        "«{query}» não está no catálogo, por isso ainda não se pode vender aqui. Se tem outro artigo, escreva qual.",
        "O catálogo não tem «{query}». Veja a etiqueta ou a caixa e escreva a marca e o modelo.",
    ),
    "not_this": (
        "Qual é então? Escreva a marca e o modelo.",
        "Escreva o nome certo, por exemplo como está na caixa.",
    ),
    "not_this_others": ("Qual é então? Há ainda {names}.", "Pode ser {names}? Escreva qual, ou outro nome."),
    "none_of_these": (
        "Escreva então a marca e o modelo, como estão na etiqueta.",
        "Que nome tem na caixa? Escreva-o aqui e procuro de novo.",
    ),
    "not_sold_here": (
        "Então o seu não está no catálogo, por isso ainda não se pode vender aqui. Se tem outro artigo, escreva qual.",
    ),
    "which": ("Qual é o seu? Escolha um, ou escreva o nome.", "Falta escolher um destes."),
    "yes_which": ("Qual deles? Por exemplo {names}.", "Falta dizer qual: {names}."),
    "again": ("Os produtos continuam abaixo. Qual é o seu?", "Escolha abaixo o que é seu."),
    "product_first": ("Primeiro o produto.", "Uma coisa de cada vez: primeiro o produto."),
    "options_first": ("Primeiro as opções.", "Uma coisa de cada vez: primeiro as opções."),
    "again_one": ("É este: {product}?", "O seu é este: {product}?"),
    "unsure_product": (
        "O modelo costuma estar na etiqueta, na caixa ou nas definições, em «Acerca de».",
        "Veja a parte de baixo ou de trás do artigo: o modelo costuma estar aí.",
    ),
    "meaning_product": ("É para saber exatamente que produto é: a marca e o modelo.",),
    "why_product": ("Porque as opções e as perguntas dependem do modelo exato.",),
    "confirm_first": (
        "Isso fica para as opções. Primeiro falta confirmar o produto.",
        "Já lá vamos: antes disso, falta saber qual é o produto.",
    ),
    "not_played": (
        "O modelo de demonstração só conhece os serviços incluídos. Este responde quando o servidor tiver um modelo "
        "a sério: defina OPENAI_API_KEY e volte a iniciá-lo.",
    ),
    "picture": (
        "Obrigado, a fotografia fica guardada para o artigo. O modelo de demonstração não vê imagens: diga por "
        "palavras o que mostra.",
        "A fotografia fica guardada para o artigo. Aqui as imagens não são lidas: escreva o que ela mostra.",
    ),
    "picture_kept": (
        "Obrigado, a fotografia fica guardada para o artigo.",
        "A fotografia fica guardada para o artigo, obrigado.",
    ),
    "no_info": ("Sobre isso não tenho informação aqui.", "Isso não se sabe aqui."),
    "boolean_plain": ("Responda sim ou não: «{label}»", "Isso é um sim ou um não a «{label}»?"),
    "no_price": (
        "Aqui ainda não há preços: primeiro identifica-se o artigo e o seu estado.",
        "O preço não vem do catálogo. Depende do estado, que se pergunta no fim.",
    ),
    "no_price_now": ("O catálogo não tem preços: aqui fica descrito o estado do artigo.",),
    "off_topic": ("Aqui trata-se só de vender artigos usados.", "Isso fica fora do que posso fazer aqui."),
    "calm": ("Vamos ao que importa.", "Fica registado. Sigamos com o artigo."),
    "thanks": ("De nada.", "Sempre às ordens."),
    "stopped": ("Fica por aqui. Pode voltar quando quiser: basta escrever o que quer vender.",),
    "paused": (
        "O artigo **{reference}** fica guardado, com {left} respostas por dar. Continue quando quiser.",
        "Fica assim: faltam {left} respostas ao artigo **{reference}**, para quando quiser.",
    ),
    "paused_last": ("O artigo **{reference}** fica guardado. Falta só uma resposta, para quando quiser.",),
    "sale_or_answer": (
        "Para vender outro artigo, escreva «outro artigo». Se era a resposta a «{label}», diga-a por outras palavras.",
    ),
    "item_kept": ("O artigo **{reference}** fica como está.",),
    "item_waits": (
        "O artigo **{reference}** fica até outro produto ser confirmado. Que produto é? Basta a marca e o modelo.",
        "Nada mudou no artigo **{reference}**. Qual é então o produto? Chegam a marca e o modelo.",
    ),
    "item_withdrawn": ("O artigo **{reference}** foi retirado: este produto fica no seu lugar.",),
    # Options
    "ask_option_first": ("O {product} foi vendido em várias versões. Qual é a sua?",),
    "kept_ask": ("{value}, certo. Falta indicar: {name}.", "Fica {value}. A seguir: {name}."),
    "prefilled_ask": (
        "Do que escreveu fica {values}. Falta indicar: {name}.",
        "Já tenho {values}. A seguir: {name}.",
    ),
    "prefilled_all": ("Do que escreveu fica {values}. Crio o artigo assim?",),
    "option_which": ("Qual deles: {names}?", "Pode ser {names}. Qual é?"),
    "option_change": (
        "Qual é o certo para {name}? Há {names}.",
        "Escolha o valor certo de {name}: {names}.",
        "Para {name} há {names}. Qual é?",
    ),
    "option_what_change": ("O que é diferente? Pode mudar {names}.", "Diga o que muda: {names}."),
    "option_unsure": (
        "Costuma estar nas definições, na caixa ou na etiqueta. {name}: escolha o que lá estiver.",
        "Veja a caixa, a fatura ou a etiqueta e escolha o valor de {name}.",
    ),
    "option_why": ("Porque cada versão é um artigo diferente no catálogo. Falta indicar: {name}.",),
    "option_meaning": (
        "{name}: escolha o que corresponde ao seu. Há {names}.",
        "É sobre {name}. Os valores possíveis são {names}.",
    ),
    "option_not": (
        "O {product} não foi vendido com «{said}». Há {names}.",
        "«{said}» não existe neste produto. Há {names}.",
    ),
    "option_again": ("Falta escolher {name}: {names}.", "Escolha um valor de {name}, por exemplo {names}."),
    "option_confirm_again": (
        "Está tudo escolhido: {values}. Crio o artigo assim?",
        "Ficou {values}. Responda «sim» para criar o artigo, ou diga o que muda.",
    ),
    # Registration
    "item_unknown": ("Não se sabe se o artigo foi criado: falta verificar. O que escreveu ficou guardado.",),
    "core_away": (
        "O catálogo não responde neste momento; o que escreveu ficou guardado, tente de novo daqui a pouco.",
        "O catálogo ainda não responde; nada se perdeu, tente de novo mais tarde.",
    ),
    "item_failed": ("O artigo não foi criado. Escreva «continuar» para tentar de novo.",),
    "declined": ("O artigo não foi criado.", "Fica por criar."),
    "create_waits": ("Responda «sim» para o criar, ou diga o que muda.",),
    "other_product": ("Se for outro produto, diga qual.",),
    # Questions
    "first_question": ("O artigo está criado. Faltam {total} perguntas sobre o seu estado.",),
    "next_question": (
        "Registado. Faltam {left}.",
        "Certo, faltam {left}.",
        "Anotado. Ainda há {left}.",
        "Guardado. Faltam {left}.",
    ),
    "last_question": ("Registado. Falta a última.", "Certo. Só falta uma."),
    "skipped": ("Fica em branco. Faltam {left}.", "Pode ficar sem resposta. Faltam {left}."),
    "corrected": ("Fica corrigido: {shown}.", "Alterado para {shown}."),
    "left": ("Fica como estava.", "Não mudo nada."),
    "changed": ("Fica alterado: {shown}.", "Alterado: {shown}."),
    "now": ("O artigo ficou assim:",),
    "asked_again": ("Com isso há uma resposta que tem de ser dada de novo.",),
    "change_failed": ("A alteração não ficou feita. Escreva de novo o que muda.",),
    "answer_change": ("Em «{label}» está {shown}. O que deve ficar?",),
    "invalid": ("{reason}", "Ainda não dá. {reason}"),
    "confirm": ("Só para ter a certeza.", "Confirme, por favor."),
    "question_why": (
        "É para avaliar bem o artigo. {hint}",
        "Ajuda a descrever o artigo a quem o compra. {hint}",
    ),
    "question_hint": ("{hint}", "Por outras palavras: {hint}"),
    "question_no_hint": ("Responda o que vê no artigo: «{label}»", "A pergunta é só esta: «{label}»"),
    "help_questions": ("Cada resposta descreve o artigo. Escolha uma opção, ou escreva por palavras suas.",),
    "question_again": ("A pergunta continua abaixo.", "Falta ainda esta resposta."),
    "question_back": (
        "A anterior era «{label}», com a resposta {shown}. Qual é a resposta certa?",
        "Antes perguntou-se «{label}», e ficou {shown}. O que deve ficar?",
    ),
    "question_first_back": ("Esta é a primeira pergunta. Falta responder-lhe.",),
    "correct_which": ("Que resposta quer corrigir?", "Diga que resposta não está certa."),
    "refused": (
        "Com essa resposta o artigo não pode ser aceite. Se foi engano, escreva a resposta certa.",
        "Assim não é possível ficar com o artigo. Se não é o caso, corrija a resposta.",
    ),
    "done": ("Está tudo. O artigo ficou assim:",),
    "done_more": (
        "O artigo está completo. Pode corrigir uma resposta ou vender outro.",
        "Está tudo guardado. Para vender outro artigo, escreva o nome.",
    ),
    "done_thanks": ("De nada. O artigo está completo.",),
    # Chat
    "chat_greet": (
        "Olá. Posso dizer o que há no catálogo, mostrar os seus artigos e conversas, ou ajudar a vender.",
        "Olá. O que procura? Posso ver o catálogo, os seus artigos ou as suas conversas.",
    ),
    "chat_help": (
        "Procuro no catálogo, mostro os seus artigos e conversas, combino uma recolha e posso começar uma venda.",
    ),
    "chat_catalog": (
        "No catálogo há {count} para «{query}»:\n\n{names}",
        "O catálogo tem {count} com «{query}»:\n\n{names}",
    ),
    "chat_catalog_some": (
        "No catálogo há {count} para «{query}». Alguns:\n\n{names}",
        "O catálogo tem {count} com «{query}». São alguns deles:\n\n{names}",
    ),
    "chat_catalog_all": ("No catálogo há {count} produtos. Alguns:\n\n{names}",),
    "chat_catalog_none": (
        "O catálogo não tem «{query}». Experimente com a marca ou o tipo de artigo.",
        "Não há «{query}» no catálogo. Escreva outra marca ou categoria.",
    ),
    "chat_items": ("Nos seus artigos há {count}:\n\n{names}",),
    "chat_item": ("O seu artigo {reference} é **{product}**:\n\n{names}",),
    "chat_item_none": ("Não encontro um artigo seu com essa referência.",),
    "chat_items_none": ("Ainda não tem artigos. Para criar um, escreva «quero vender».",),
    "chat_conversations": ("Nas suas conversas há {count}:\n\n{names}",),
    "chat_conversations_none": ("Não há outras conversas suas.",),
    "chat_business": ("Segundo a loja: {text}",),
    "chat_business_none": (
        "A loja não deu informação sobre isso. Posso ver o catálogo, os seus artigos ou as suas conversas.",
        "Sobre isso a loja não diz nada. Pergunte pelo catálogo, pelos seus artigos ou pelas suas conversas.",
    ),
    "chat_price": (
        "O catálogo não tem preços. Posso ver se aceitam o artigo, ou começar a venda.",
        "Não há preços no catálogo. Diga o artigo e vejo se o aceitam.",
    ),
    "chat_off_topic": (
        "Isso fica fora do que sei. Posso ver o catálogo, os seus artigos ou as suas conversas.",
        "Sobre isso não tenho informação. Experimente o catálogo, os seus artigos ou as suas conversas.",
    ),
    "pick_up_form": ("Diga quando e onde lhe podemos responder, para combinar a recolha.",),
    "contact_form": ("Diga como e quando o podemos contactar.",),
    "field_date": ("Dia",),
    "field_window": ("Horário",),
    "field_email": ("E-mail",),
    "field_notes": ("Mais alguma coisa?",),
    "pick_up_past": ("Esse dia já passou. Escolha um a partir de hoje.",),
    "pick_up_done": ("Ficou pedida a recolha de **{date}**, **{window}**, com resposta para {email}.",),
    "contact_done": ("Fica pedido o contacto, **{window}**, para {email}.",),
    "arranged_demo": ("Isto é uma demonstração: ninguém virá nem escreverá.",),
    "arranged_nothing": ("Não fica nada combinado.", "Então não se combina nada."),
    "page_told": ("A página respondeu: {text}",),
    "page_failed": ("A página não respondeu a isso.",),
    "chat_what": ("O que quer saber? Por exemplo «aceitam portáteis?» ou «que artigos tenho?».",),
}
